"""``python -m crossplay``, for launchers that start modules."""

from crossplay.cli import main

if __name__ == "__main__":
    main(prog_name="crossplay")
