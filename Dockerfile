FROM python:3.13-slim

RUN useradd --system --uid 10001 --user-group emulator \
    && install --directory --owner emulator --group emulator /data

COPY pyproject.toml README.md LICENSE /src/
COPY emulator /src/emulator
RUN pip install --no-cache-dir "/src[postgres]" && rm -r /src

USER emulator
WORKDIR /data
VOLUME /data
EXPOSE 9324

ENV PYTHONUNBUFFERED=1 \
    SQS_EMULATOR_HOST=0.0.0.0 \
    SQS_EMULATOR_DATA=/data/sqs.db

HEALTHCHECK --interval=5s --timeout=3s --start-period=5s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + (os.environ.get('SQS_EMULATOR_PORT') or '9324') + '/_emulator/ready', timeout=2)"]

# Exec form: SIGTERM reaches the emulator, which then ends within two seconds.
ENTRYPOINT ["sqs-emulator"]
CMD ["serve"]
