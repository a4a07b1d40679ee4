"""Messages of the domain name system (RFC 1035), as far as a resolver of addresses needs them. Every parser takes hostile bytes."""
import ipaddress
import struct

A = 1
CNAME = 5
INTERNET = 1
NO_ERROR, SERVER_FAILED, NO_SUCH_NAME, NOT_IMPLEMENTED = 0, 2, 3, 4
_header = struct.Struct("!6H")
_record = struct.Struct("!HHIH")
_most_jumps = 64


class Broken(ValueError):
    """Not a message, or none that is answered."""


def read_name(message, at):
    """The name at an offset as text, lower case, without the last dot, and the offset behind it."""
    labels, after, jumps, length = [], None, 0, 0
    while True:
        if at >= len(message):
            raise Broken("a name ends early")
        size = message[at]
        if size >= 0xC0:
            if at + 1 >= len(message) or jumps >= _most_jumps:
                raise Broken("a name points nowhere")
            after = at + 2 if after is None else after
            at = (size & 0x3F) << 8 | message[at + 1]
            jumps += 1
            continue
        if size > 63 or at + 1 + size > len(message):
            raise Broken("a label is too long")
        at += 1
        if size == 0:
            return ".".join(labels), at if after is None else after
        length += size + 1
        if length > 254:
            raise Broken("a name is too long")
        label = message[at : at + size].decode("latin-1").lower()
        # A dot inside of a label would make two of it.
        labels.append(label.replace(".", "\x00"))
        at += size


def write_name(name):
    return b"".join(bytes([len(label)]) + label.encode("ascii") for label in name.split(".") if label) + b"\0"


def read_question(message):
    """The number, flags, name, kind and class of a query of one question."""
    if len(message) < _header.size:
        raise Broken("too short")
    number, flags, questions, _, _, _ = _header.unpack_from(message)
    if flags & 0x8000 or questions != 1:
        raise Broken("not one question")
    name, at = read_name(message, _header.size)
    if at + 4 > len(message):
        raise Broken("a question ends early")
    kind, net = struct.unpack_from("!HH", message, at)
    return number, flags, name, kind, net, message[_header.size : at + 4]


def question(number, name):
    """A query for the addresses of a name, written anew: nothing of what was asked but the name goes on."""
    return _header.pack(number, 0x0100, 1, 0, 0, 0) + write_name(name) + struct.pack("!HH", A, INTERNET)


def answer(number, flags, asked, code, addresses=(), seconds=0):
    """The reply to a question; `asked` is its own bytes."""
    reply = 0x8080 | (flags & 0x7900) | code
    records = b"".join(b"\xc0\x0c" + _record.pack(A, INTERNET, seconds, 4) + ipaddress.IPv4Address(one).packed for one in addresses)
    return _header.pack(number, reply, 1, len(addresses), 0, 0) + asked + records


def read_answer(message, number, name):
    """What a name server replies: its code, whether it was cut short, the addresses of the name, and for how many seconds they hold."""
    if len(message) < _header.size:
        raise Broken("too short")
    is_number, flags, questions, answers, _, _ = _header.unpack_from(message)
    if is_number != number or not flags & 0x8000 or questions != 1:
        raise Broken("not the reply")
    asked, at = read_name(message, _header.size)
    if asked != name:
        raise Broken("of another name")
    at += 4
    called, found, least = {name}, [], 300
    for _ in range(answers):
        owner, at = read_name(message, at)
        if at + _record.size > len(message):
            raise Broken("a record ends early")
        kind, net, seconds, size = _record.unpack_from(message, at)
        at += _record.size
        if at + size > len(message):
            raise Broken("a record ends early")
        if net == INTERNET and owner in called:
            least = min(least, seconds)
            if kind == CNAME:
                called.add(read_name(message, at)[0])
            elif kind == A and size == 4:
                found.append(str(ipaddress.IPv4Address(message[at : at + 4])))
        at += size
    return flags & 0xF, bool(flags & 0x0200), found[:32], least
