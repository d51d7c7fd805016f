"""The floor: what a SendMessage costs a server that only parses it and answers with a constant."""

import asyncio
import sys
from typing import cast

import httptools
import msgspec
import uvloop


class SendMessage(msgspec.Struct, rename="pascal"):
    queue_url: str
    message_body: str


decode = msgspec.json.Decoder(SendMessage).decode
BODY = b'{"MessageId":"%b","MD5OfMessageBody":"%b"}' % (b"5fea7756-0ea4-451a-a703-a558b933e274", b"0123" * 8)
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/x-amz-json-1.0\r\ncontent-length: %d\r\n\r\n" % len(
    BODY
)


class Floor(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.parser = httptools.HttpRequestParser(self)
        self.headers: dict[bytes, bytes] = {}

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name] = value

    def on_body(self, body: bytes) -> None:
        decode(body)

    def on_message_complete(self) -> None:
        self.transport.write(ANSWER + BODY)


async def serve(port: int) -> None:
    await (await asyncio.get_running_loop().create_server(Floor, "127.0.0.1", port)).serve_forever()


uvloop.run(serve(int(sys.argv[1])))
