"""Which files a call may see and read: the disk, protection, ignore rules, walks and scopes."""
