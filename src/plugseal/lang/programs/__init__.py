"""What well-known programs can do by the words that they are started with.

`start.py` goes behind wrappers to the program, `acts.py` says what it does; the data stands in `tables/*.toml`. No
program is asked, and none is looked for on this machine.
"""

from plugseal.lang.placed_acts import Act as Act
from plugseal.lang.programs.start import Code as Code
from plugseal.lang.programs.start import Started as Started
from plugseal.lang.programs.start import program_name as program_name
from plugseal.lang.programs.start import started as started
from plugseal.lang.programs.words import acts_of_line as acts_of_line
from plugseal.lang.programs.words import acts_of_words as acts_of_words
from plugseal.lang.programs.words import code_of_words as code_of_words
