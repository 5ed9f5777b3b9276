"""From bytes to text and back; nothing here knows about Accelerate."""
