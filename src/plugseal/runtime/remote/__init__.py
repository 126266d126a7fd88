"""Remote servers: an HTTP client that goes nowhere but to the reviewed origin, and MCP's transports over it.

`endpoint.py` says what was reviewed, `wire.py` opens the only connection. A redirect never leaves that origin, and no
proxy or variable of the environment is asked.
"""
