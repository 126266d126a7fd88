"""Run the command line as `python -m plugseal`."""

from plugseal.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
