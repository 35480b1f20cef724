"""The kit with which hosts test their own tools."""
