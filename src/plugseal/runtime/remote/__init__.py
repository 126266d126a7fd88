"""Remote servers: an HTTP client that goes nowhere but to the reviewed origin, and MCP's transports over it."""
