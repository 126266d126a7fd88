"""PowerShell: an own parser that recovers from any error, folded values, and tables of cmdlets and .NET types."""
