import sys


def load(path):
    with open(path) as file:
        return [int(line) for line in file]


def main():
    numbers = load(sys.argv[1])
    print(f"mean {sum(numbers) / len(numbers):.1f}")
    print(f"max {max(numbers)}")


main()
