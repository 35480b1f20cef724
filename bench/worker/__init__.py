"""What the worker does a second, beside two queues that people use, and how fast decisions and switches act."""
