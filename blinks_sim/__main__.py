"""Run the command line: python -m blinks_sim."""

from .cli import main

main()
