"""One function for each thing a user asks for; they compose the parts."""
