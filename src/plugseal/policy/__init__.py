"""What a team asks for beyond the built-in rules: policies, read and compiled outside any reviewed tree."""
