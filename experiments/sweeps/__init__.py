"""Many runs with one command."""
