"""What a note is and says: properties, structure, tags and links, and which notes link where."""
