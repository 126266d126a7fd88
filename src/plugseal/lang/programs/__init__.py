"""What well-known programs can do by the words that they are started with. The data stands in `tables/*.toml`."""

from plugseal.lang.programs.acts import Act as Act
from plugseal.lang.programs.start import Code as Code
from plugseal.lang.programs.start import Started as Started
from plugseal.lang.programs.start import program_name as program_name
from plugseal.lang.programs.start import started as started
from plugseal.lang.programs.words import acts_of_line as acts_of_line
from plugseal.lang.programs.words import acts_of_words as acts_of_words
from plugseal.lang.programs.words import code_of_words as code_of_words
