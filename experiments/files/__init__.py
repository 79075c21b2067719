"""Files of others read with care, and files of ours written whole or not at all."""
