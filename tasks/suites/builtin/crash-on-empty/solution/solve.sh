cat > stats.py <<'END'
import sys


def load(path):
    with open(path) as file:
        return [int(line) for line in file if line.strip()]


def main():
    numbers = load(sys.argv[1])
    if not numbers:
        print("no numbers")
        return
    print(f"mean {sum(numbers) / len(numbers):.1f}")
    print(f"max {max(numbers)}")


main()
END
