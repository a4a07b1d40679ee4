import type { Draw } from "../draw.ts";
import { text } from "../text.ts";
import { columns, type Project } from "./project.ts";

/** A shop's till: prices, a basket, a receipt. */
export function till(d: Draw): Project {
  const name = d.pick(["till", "kiosk", "shop", "counter"]);
  const [put, receipt, fresh] = d.pick([["put", "receipt", "new"], ["pack", "bill", "next"], ["add", "print", "clear"]] as const); // prettier-ignore
  const [share, better] = d.pick([["share_of", "portion"], ["part_of", "percent_of"], ["cut_of", "percentage"]] as const); // prettier-ignore
  const free = d.pick([3, 4, 5]);
  const nth = free === 3 ? "3rd" : `${free}th`;
  const good = d.some(["tea", "Soap", "rice", "Lamp", "rope", "Ink"], 3);
  const [a = "", b = "", c = ""] = good;
  const stock = `price ${a} 2.50\nprice ${b} 10\nprice ${c} 0.99\n`;
  return {
    name,
    about: "It keeps a shop's prices and prints receipts.",
    modules: {
      [`${name}/__init__.py`]: text`
        """A shop's till."""
      `,
      [`${name}/money.py`]: text`
        """Amounts of money are whole cents."""


        def parse_price(text):
            """Cents from a price such as 12, 12.5 or 12.50. Raises ValueError for anything else, also for a third decimal."""
            whole, dot, decimals = text.partition(".")
            if not whole.isdigit() or len(decimals) > 2 or (dot and not decimals.isdigit()):
                raise ValueError(text)
            return int(whole) * 100 + int(decimals.ljust(2, "0"))


        def show_price(cents):
            """12.05 for 1205 cents, with two decimals always."""
            return f"{cents // 100}.{cents % 100:02d}"


        def ${share}(cents, percent):
            """So many per cent of an amount, rounded to whole cents; half a cent is rounded up."""
            return (cents * percent + 50) // 100
      `,
      [`${name}/catalog.py`]: text`
        class Catalog:
            """Goods and what they cost. Capitals in a name make no difference."""

            def __init__(self):
                self.prices = {}

            def set(self, name, cents):
                """Sets a price, also instead of an earlier one."""
                self.prices[name.lower()] = cents

            def price(self, name):
                """What one costs, in cents. Raises KeyError for a good that has no price."""
                return self.prices[name.lower()]
      `,
      [`${name}/basket.py`]: text`
        from ${name}.money import ${share}


        class Basket:
            """What a customer buys."""

            def __init__(self, catalog):
                self.catalog = catalog
                self.counts = {}
                self.coupon = 0

            def ${put}(self, name, count):
                """Puts so many in; a negative count takes out, and what is down to none is gone. Raises KeyError for a good that has no price."""
                name = name.lower()
                self.catalog.price(name)
                left = self.counts.get(name, 0) + count
                if left > 0:
                    self.counts[name] = left
                else:
                    self.counts.pop(name, None)

            def cost(self, name):
                """What all of one good cost together, in cents: every ${nth} one is free."""
                count = self.counts.get(name.lower(), 0)
                return self.catalog.price(name) * (count - count // ${free})

            def total(self):
                """What everything costs, less the coupon's per cent of the sum."""
                before = sum(self.cost(name) for name in self.counts)
                return before - ${share}(before, self.coupon)
      `,
      [`${name}/receipt.py`]: text`
        from ${name}.money import show_price, ${share}


        def receipt_lines(basket):
            """One line a good (NAME xCOUNT COST) in alphabetical order, then the tax that the total holds (19 per cent of it), then the total."""
            lines = [f"{name} x{basket.counts[name]} {show_price(basket.cost(name))}" for name in sorted(basket.counts)]
            tax = ${share}(basket.total(), 19)
            return [*lines, f"tax {show_price(tax)}", f"total {show_price(basket.total())}"]
      `,
      [`${name}/__main__.py`]: text`
        """Reads commands, one a line:

        ${columns([
          ["price NAME PRICE", 'sets what a good costs; prints "bad price" when PRICE is no price'],
          [
            `${put} NAME COUNT`,
            'puts so many into the basket (a negative count takes out); prints "unknown NAME" when the good has no price',
          ],
          ["coupon PERCENT", "takes so many per cent off the whole basket"],
          [receipt, "prints the receipt"],
          [fresh, "begins a new, empty basket without a coupon; the prices stay"],
        ])}
        """
        import sys

        from ${name}.basket import Basket
        from ${name}.catalog import Catalog
        from ${name}.money import parse_price
        from ${name}.receipt import receipt_lines


        def main():
            catalog = Catalog()
            basket = Basket(catalog)
            for line in sys.stdin:
                verb, *words = line.split()
                if verb == "price":
                    try:
                        catalog.set(words[0], parse_price(words[1]))
                    except ValueError:
                        print("bad price")
                elif verb == "${put}":
                    try:
                        basket.${put}(words[0], int(words[1]))
                    except KeyError:
                        print("unknown", words[0])
                elif verb == "coupon":
                    basket.coupon = int(words[0])
                elif verb == "${receipt}":
                    print("\n".join(receipt_lines(basket)))
                elif verb == "${fresh}":
                    basket = Basket(catalog)


        if __name__ == "__main__":
            main()
      `,
    },
    imports: {
      money: `from ${name}.money import parse_price, ${share}, show_price`,
      catalog: `from ${name}.catalog import Catalog`,
      basket: `from ${name}.basket import Basket\nfrom ${name}.catalog import Catalog`,
      receipt: `from ${name}.basket import Basket\nfrom ${name}.catalog import Catalog\nfrom ${name}.receipt import receipt_lines`,
    },
    cases: [
      { module: "money", name: "whole_prices", body: 'self.assertEqual(parse_price("12"), 1200)' },
      { module: "money", name: "no_price", body: 'for text in ["", "x", "1.234", "-1", "1.", ".5"]:\n    with self.assertRaises(ValueError):\n        parse_price(text)' }, // prettier-ignore
      { module: "catalog", name: "a_later_price_counts", body: `catalog = Catalog()\ncatalog.set("${a}", 100)\ncatalog.set("${a}", 120)\nself.assertEqual(catalog.price("${a}"), 120)` }, // prettier-ignore
      {
        module: "basket",
        name: "goods_without_a_price",
        body: `with self.assertRaises(KeyError):\n    Basket(Catalog()).${put}("${b}", 1)`,
      },
      {
        module: "receipt",
        name: "an_empty_basket",
        body: 'self.assertEqual(receipt_lines(Basket(Catalog())), ["tax 0.00", "total 0.00"])',
      },
    ],
    bugs: [
      { file: `${name}/money.py`, right: 'int(decimals.ljust(2, "0"))', wrong: "int(decimals or 0)", symptom: "A price with one decimal, such as 2.5, is taken for too little.", input: `price ${a} 2.5\n${put} ${a} 1\n${receipt}\n`, case: { module: "money", name: "one_decimal", body: 'self.assertEqual(parse_price("2.5"), 250)' } }, // prettier-ignore
      { file: `${name}/money.py`, right: "{cents % 100:02d}", wrong: "{cents % 100}", symptom: "Amounts with few cents lose a zero: 1.05 is printed as 1.5.", input: `price ${a} 1.05\n${put} ${a} 1\n${receipt}\n`, case: { module: "money", name: "few_cents", body: 'self.assertEqual(show_price(1205), "12.05")' } }, // prettier-ignore
      { file: `${name}/money.py`, right: "(cents * percent + 50) // 100", wrong: "cents * percent // 100", symptom: "Coupons and tax are sometimes one cent too small.", input: `${stock}${put} ${c} 1\n${receipt}\n`, case: { module: "money", name: "halves_go_up", body: `self.assertEqual(${share}(99, 19), 19)\nself.assertEqual(${share}(50, 1), 1)` } }, // prettier-ignore
      { file: `${name}/catalog.py`, right: "self.prices[name.lower()] = cents", wrong: "self.prices[name] = cents", symptom: "Goods whose price was set with a capital in the name are not found.", input: `price Fig 2\n${put} fig 1\n${receipt}\n`, case: { module: "catalog", name: "capitals", body: 'catalog = Catalog()\ncatalog.set("Fig", 5)\nself.assertEqual(catalog.price("FIG"), 5)'  } }, // prettier-ignore
      { file: `${name}/basket.py`, right: "if left > 0:", wrong: "if left >= 0:", symptom: "Goods that were taken out again stay on the receipt.", input: `${stock}${put} ${a} 2\n${put} ${a} -2\n${receipt}\n`, case: { module: "basket", name: "taken_out_again", body: `catalog = Catalog()\ncatalog.set("${a}", 100)\nbasket = Basket(catalog)\nbasket.${put}("${a}", 2)\nbasket.${put}("${a}", -2)\nself.assertEqual(basket.counts, {})` } }, // prettier-ignore
      { file: `${name}/basket.py`, right: `count - count // ${free}`, wrong: `count - count // ${free + 1}`, symptom: `The ${nth} one of a good is not free.`, input: `${stock}${put} ${a} ${free}\n${receipt}\n`, case: { module: "basket", name: "one_is_free", body: `catalog = Catalog()\ncatalog.set("${a}", 100)\nbasket = Basket(catalog)\nbasket.${put}("${a}", ${free * 2})\nself.assertEqual(basket.cost("${a}"), ${(free * 2 - 2) * 100})` } }, // prettier-ignore
      { file: `${name}/basket.py`, right: "catalog):\n        self.catalog = catalog\n        self.counts = {}", wrong: "catalog, counts={}):\n        self.catalog = catalog\n        self.counts = counts", symptom: "A new basket is not empty when an earlier one was not.", input: `${stock}${put} ${a} 1\n${fresh}\n${put} ${b} 3\n${receipt}\n`, case: { module: "basket", name: "a_second_basket", body: `catalog = Catalog()\ncatalog.set("${b}", 1000)\nBasket(catalog).${put}("${b}", 2)\nself.assertEqual(Basket(catalog).counts, {})` } }, // prettier-ignore
      { file: `${name}/receipt.py`, right: "in sorted(basket.counts)", wrong: "in basket.counts", symptom: "The lines of a receipt are not in alphabetical order.", input: `price zinc 1\nprice ale 1\n${put} zinc 1\n${put} ale 1\n${receipt}\n`, case: { module: "receipt", name: "the_order", body: `catalog = Catalog()\ncatalog.set("zinc", 100)\ncatalog.set("ale", 100)\nbasket = Basket(catalog)\nbasket.${put}("zinc", 1)\nbasket.${put}("ale", 1)\nself.assertEqual([line.split()[0] for line in receipt_lines(basket)], ["ale", "zinc", "tax", "total"])` } }, // prettier-ignore
    ],
    edges: text`
      stock = "price tea 2.50\nprice Soap 10\nprice zinc 0.99\nprice ink 1.05\n"
      odd = ["12", "12.5", "12.50", "0", "0.07", "007.10", "1.", ".5", ".", "1.234", "-1", "x", "1.x", "1.2.3", "$1", "1,5"]
      return [
          "${receipt}\n",
          "".join(f"price good{i} {price}\n${put} good{i} 1\n" for i, price in enumerate(odd)) + "${receipt}\n",
          stock + "".join(f"${put} TEA 1\n${put} zinc {count}\n${receipt}\n" for count in range(1, ${free * 2 + 2})),
          stock + "${put} tea 2\n${put} Tea -1\n${put} soap -3\n${put} ink 2\n${put} INK -2\n${put} fig 1\n${put} fig -1\n${receipt}\n${put} tea -5\n${put} ink 1\n${receipt}\n",
          stock + "${put} zinc 1\n${put} ink 1\n" + "".join(f"coupon {percent}\n${receipt}\n" for percent in [0, 1, 5, 10, 33, 50, 51, 100]),
          stock + "${put} tea ${free}\n${put} SOAP ${free - 1}\n${put} ink ${free + 1}\ncoupon 15\n${receipt}\n${fresh}\n${receipt}\n${put} soap 1\n${receipt}\n",
          stock + "${put} tea 1\nprice TEA 3\n${receipt}\nprice tea bad\n${receipt}\n${fresh}\n${put} Tea 1\n${receipt}\n",
          "price Zinc 1\nprice ale 1\nprice Mint 1\n${put} zinc 1\n${put} MINT 1\n${put} ale 1\n${receipt}\n",
      ]
    `,
    input: text`
      names = ["tea", "Tea", "soap", "RICE", "rice", "rope", "ink", "Zinc"]
      lines = [f"price {name} {rng.choice(['2.5', '0.99', '10', '1.05', '3.10', '1.234', '-2', '7.77'])}" for name in rng.sample(names, 5)]
      for _ in range(rng.randint(5, 30)):
          verb = rng.choice(["${put}"] * 6 + ["coupon", "${receipt}", "${fresh}", "price"])
          name = rng.choice(names)
          more = {"${put}": f" {name} {rng.choice([1, 2, ${free}, ${free * 2 + 1}, -1, -2])}", "coupon": f" {rng.choice([5, 10, 15, 33])}", "price": f" {name} {rng.randint(0, 20)}.{rng.randint(0, 9)}"}
          lines.append(verb + more.get(verb, ""))
      return "\n".join([*lines, "${receipt}"]) + "\n"
    `,
    shared: { module: "money", name: share, better, call: (name) => `${name}(a, b)` },
    forks: [
      {
        file: `${name}/receipt.py`,
        base: `{name} x{basket.counts[name]} {show`,
        ours: `{name} x{basket.counts[name]} at {show_price(basket.catalog.price(name))} {show`,
        theirs: `{name.capitalize()} x{basket.counts[name]} {show`,
        both: `{name.capitalize()} x{basket.counts[name]} at {show_price(basket.catalog.price(name))} {show`,
        says: {
          ours: "A line of a receipt tells what one costs: `NAME xCOUNT at PRICE COST`.",
          theirs: "On receipts names begin with a capital.",
        },
      },
      {
        file: `${name}/money.py`,
        base: 'text.partition(".")',
        ours: 'text.removeprefix("$").partition(".")',
        theirs: 'text.replace(",", ".").partition(".")',
        both: 'text.removeprefix("$").replace(",", ".").partition(".")',
        says: { ours: "A price may begin with a `$`.", theirs: "A price may have a comma instead of the point." },
      },
      {
        file: `${name}/basket.py`,
        base: "(before, self.coupon)",
        ours: "(before, min(self.coupon, 50))",
        theirs: "(before, self.coupon if before >= 500 else 0)",
        both: "(before, min(self.coupon, 50) if before >= 500 else 0)",
        says: {
          ours: "A coupon of more than 50 per cent counts as one of 50.",
          theirs: "A coupon does not count when the sum before it is less than 5.00.",
        },
      },
    ],
    forkInput: text`
      lines = []
      for line in stdin.splitlines():
          verb, *words = line.split()
          if verb == "price":
              words[1] = rng.choice(["$", ""]) + words[1].replace(".", rng.choice([",", "."]))
          if verb == "coupon":
              words[0] = rng.choice(["10", "60", "95"])
          lines.append(" ".join([verb, *words]))
          if rng.random() < 0.2:
              lines.append("gift")
      return "\n".join([*lines, "gift"]) + "\n"
    `,
    forkEdges: text`
      stock = "price tea $2,50\nprice Soap 10\nprice zinc 0,99\nprice ink $1.05\nprice five $5\nprice penny ,5\nprice x $\nprice y $$1\nprice z 1$\nprice w 1,2,3\nprice v $1.234\n"
      plain = "price zinc 0.99\nprice ink 1.05\nprice five 5\n"
      goods = ["tea", "soap", "zinc", "ink", "five"]
      return [
          stock + "".join(f"${put} {good} 1\n" for good in [*goods, "penny", "x", "y", "z", "w", "v"]) + "${receipt}\ngift\n",
          plain + "".join(f"${fresh}\ncoupon {percent}\n${put} five 1\n${receipt}\ngift\n${put} zinc 1\n${receipt}\ngift\n" for percent in [0, 10, 50, 51, 60, 100]),
          plain + "".join(f"${fresh}\ncoupon {percent}\n${put} zinc 4\n${put} ink 1\n${receipt}\ngift\n" for percent in [10, 50, 51, 95]),
          stock + "gift\n${receipt}\n" + "".join(f"${put} {good} ${free + 1}\n${receipt}\ngift\n" for good in goods),
      ]
    `,
    addition: {
      path: `${name}/gift.py`,
      content: text`
        from ${name}.money import ${share}


        def gift(basket):
            """What the customer saves for the next time: 10 per cent of the total."""
            return ${share}(basket.total(), 10)
      `,
      main: [
        [`from ${name}.money import parse_price\n`, `from ${name}.gift import gift\nfrom ${name}.money import parse_price, show_price\n`],
        [
          `        elif verb == "coupon":`,
          `        elif verb == "gift":\n            print("gift", show_price(gift(basket)))\n        elif verb == "coupon":`,
        ],
      ],
      says: "The command `gift` prints `gift` and 10 per cent of the total.",
    },
  };
}
