"""Ruby, Perl, PHP and Lua, only as far as they start programs, talk to the network and run code by resolved names."""
