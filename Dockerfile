# The app for a small server: an ordinary user, nothing written but to memory and to the data folder.
#
#   podman build --format docker --tag nysviz .          (or: docker build --tag nysviz .)
#   podman run --rm --read-only --tmpfs /tmp:rw,size=256m,mode=1777 --memory 1g --cap-drop all \
#       --security-opt no-new-privileges --publish 8501:8501 --volume nysviz-data:/data nysviz
#
# TLS, names and who may come in are the affair of the proxy in front. It must pass WebSockets on, and send all
# that belongs to one visitor to the same container: a session lives in the memory of one process.
FROM docker.io/library/python:3.12-slim

WORKDIR /srv/nysviz

# What compose.yaml adds for a cluster.
ARG EXTRA=
COPY requirements.txt ./
RUN python -m pip install --no-cache-dir --disable-pip-version-check --requirement requirements.txt $EXTRA

COPY LICENSE app.py ./
COPY .streamlit/config.toml .streamlit/config.toml
COPY datasets datasets
COPY nysviz nysviz
COPY pages pages

# Everything is compiled once while the image is made: the modules beside their sources, the numerical loops in a
# folder that is copied to memory at each start, since Numba uses no cache that it cannot write to. The check also
# ends the build where the numerical core is wrong. It makes the folder for its own user alone: it is opened to all.
RUN python -m compileall -q app.py nysviz pages \
    && NUMBA_CACHE_DIR=/srv/jit python -m nysviz check \
    && chmod -R a+rX /srv/jit \
    && mkdir /data \
    && chown 10001:10001 /data

# HOME is in memory, so that no library minds the read-only disk. One BLAS thread: the app shares out the cores
# itself. Two arenas: freed memory goes back to the system instead of waiting in an arena a thread.
ENV HOME=/tmp/home \
    MALLOC_ARENA_MAX=2 \
    NUMBA_CACHE_DIR=/tmp/jit \
    NYSVIZ_DATA=/data \
    OPENBLAS_NUM_THREADS=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

USER 10001:10001
EXPOSE 8501
STOPSIGNAL SIGTERM

# The server answers and the numerical core is right; two seconds of one core each time.
HEALTHCHECK --interval=5m --timeout=60s --start-period=60s --retries=3 \
    CMD ["python", "-m", "nysviz", "check", "--url", "http://127.0.0.1:8501"]

# No file watcher: nobody edits the code here.
CMD ["sh", "-c", "mkdir -p \"$HOME\" \"$NUMBA_CACHE_DIR\"; cp -R /srv/jit/. \"$NUMBA_CACHE_DIR\"; exec python -m streamlit run app.py --server.address 0.0.0.0 --server.port 8501 --server.headless true --server.fileWatcherType none"]
