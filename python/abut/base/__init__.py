"""What every room stands on: checks of arguments, poses, turns, threads, words of messages."""
