"""The descriptions of the games that come with Crossplay, one ``.lud`` file each."""
