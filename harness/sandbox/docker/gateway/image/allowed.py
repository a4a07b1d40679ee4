"""What a phase of a task may reach: names, patterns of names, addresses and ranges of addresses."""
import ipaddress
import re

_name = re.compile(r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_](?:[a-z0-9_-]{0,62}))*\Z")
# Never another machine: the container itself, its link, everybody at once. The metadata of a cloud's machine is on the link.
_near = [ipaddress.ip_network(text) for text in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3")]
_inside = [ipaddress.ip_network(text) for text in ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/3")]
# Names whose addresses are remembered; the oldest goes.
_most_addresses = 4096


def plain_name(text):
    """A host name in its one form, or None: lower case, no last dot."""
    name = text.lower().removesuffix(".")
    return name if _name.match(name) else None


class Allowed:
    """The list of one phase, with the addresses that its names turned out to have."""

    def __init__(self, hosts):
        self._names = set()
        self._ends = []
        self._ranges = []
        self._found = {}
        for host in hosts:
            try:
                self._ranges.append(ipaddress.ip_network(host))
            except ValueError:
                if host.startswith("*."):
                    self._ends.append(host[1:])
                else:
                    self._names.add(host)

    def has_names(self):
        return bool(self._names or self._ends)

    def has_name(self, name):
        """`*.name` stands for what has one label or more before `.name`, not for `name` itself."""
        return name in self._names or any(name.endswith(end) and len(name) > len(end) for end in self._ends)

    def has_address(self, address):
        """Whether the list itself holds the address: then nothing else is asked."""
        address = ipaddress.ip_address(address)
        if any(address in inside for inside in _inside):
            return False
        return any(address.version == one.version and address in one for one in self._ranges)

    def remember(self, address):
        """An allowed name has this address, said the name server. An address near the machine needs to be on the list itself."""
        if any(ipaddress.ip_address(address) in near for near in _near):
            return
        self._found.pop(address, None)
        self._found[address] = True
        while len(self._found) > _most_addresses:
            del self._found[next(iter(self._found))]

    def is_found(self, address):
        return address in self._found
