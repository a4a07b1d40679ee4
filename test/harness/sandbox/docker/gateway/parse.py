"""Gives each line of standard input, a verb and bytes in hexadecimal, to a parser of the gateway's, and prints its answer as JSON."""
import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import allowed  # noqa: E402
import dns  # noqa: E402
import first_bytes  # noqa: E402


def question(data):
    number, flags, name, kind, net, asked = dns.read_question(data)
    return [number, name, kind, net, dns.answer(number, flags, asked, 0, ["192.0.2.1"], 5).hex()]


def answer(data):
    return list(dns.read_answer(data, 7, "one.example"))


def lists(data):
    hosts, *asked = json.loads(data)
    held = allowed.Allowed(hosts)
    return [held.has_address(one) if one[0].isdigit() else held.has_name(one) for one in asked]


parsers = {"look": lambda data: list(first_bytes.look(data)), "question": question, "answer": answer, "lists": lists}
for line in sys.stdin:
    verb, _, text = line.strip().partition(" ")
    try:
        said = parsers[verb](bytes.fromhex(text))
    except dns.Broken as error:
        said = {"broken": str(error)}
    print(json.dumps(said), flush=True)
