"""Machine code: which functions and libraries a program asks of the system, as far as its tables say so."""
