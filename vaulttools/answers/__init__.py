"""What tools share: requests, answers, pages of text, and the notices and hints in them."""
