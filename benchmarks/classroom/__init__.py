"""Load driver: N students in one browserless process, over Streamlit's own WebSocket protocol.

``python -m benchmarks.classroom --students 1 10 30 --minutes 5``. Each student is a real session of a real
server: it opens a link, keeps what the server draws as a browser keeps it, plays the timers of the fragments,
and changes a control at random every few seconds.
"""
