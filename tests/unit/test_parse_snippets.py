"""One realistic file a language, with every symbol that must be read from it: lines, kind, qualified name."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ohara.parse.languages import GRAMMARS
from ohara.parse.symbols import symbols_in

SNIPPETS: dict[str, tuple[str, str]] = {}


def snippet(language: str, source: str, expected: str) -> None:
    SNIPPETS[language] = (dedent(source).lstrip("\n"), dedent(expected).strip())


snippet(
    "python",
    '''
    import os

    RETRIES = 3
    _LIMITS, ROOT = (1, 2), "/"
    counter = 0
    Handler = Callable[[int], None]


    @dataclass(
        frozen=True,
    )
    class Cart(Base):
        """What a customer wants."""

        TAX = 0.2
        items: list[Item]

        def __init__(self) -> None:
            LOCAL = 1
            self.items = []

        @property
        def total(self) -> float:
            def price(item):
                return item.price

            return sum(map(price, self.items))

        class Meta: ordering = ["id"]


    # Falls back to the default
    # when there is none.
    async def load(path, *,
                   default=None):
        return default


    if os.name == "nt":

        def clear(): os.system("cls")
    ''',
    """
    3-3 constant RETRIES
    4-4 constant _LIMITS
    4-4 constant ROOT
    6-6 type Handler
    9-29 class Cart
    15-15 constant Cart.TAX
    18-20 method Cart.__init__
    22-27 method Cart.total
    24-25 function Cart.total.price
    29-29 class Cart.Meta
    32-36 function load
    41-41 function clear
    """,
)

snippet(
    "javascript",
    """
    import fs from "fs";
    const path = require("path");

    const LIMIT = 10, RATE = 0.5;
    let open = 0;

    /** Adds a and b. */
    function add(a, b) {
      const sum = a + b;
      return sum;
    }

    export const load = async (url) => {
      function retry() {
        return load(url);
      }
      return retry();
    };

    export default class Cart extends Base {
      static MAX = 10;
      #total = 0;
      constructor(items) { super(); }
      get size() { return this.items.length; }
      onClick = () => { open += 1; };
      async *walk() {
        yield 1;
      }
    }

    Cart.prototype.clear = function () { this.items = []; };
    module.exports.publish = () => {};

    const api = {
      fetch() { return 1; },
      nested: {
        send: (x) => x,
      },
    };

    describe("cart", () => {
      const local = 1;
      const build = () => new Cart();
    });
    """,
    """
    4-4 constant LIMIT
    4-4 constant RATE
    7-11 function add
    13-18 function load
    14-16 function load.retry
    20-29 class Cart
    21-21 constant Cart.MAX
    23-23 method Cart.constructor
    24-24 method Cart.size
    25-25 method Cart.onClick
    26-28 method Cart.walk
    31-31 method Cart.clear
    32-32 function publish
    34-39 constant api
    35-35 method api.fetch
    37-37 method api.nested.send
    43-43 function build
    """,
)

snippet(
    "typescript",
    """
    import type { Item } from "./item";

    export type Id = string | number;

    export interface Store<T> {
      readonly name: string;
      get(key: Id): T | undefined;
    }

    export enum Color { Red, Green = "g" }

    export namespace Geo.Plane {
      export const PI = 3.14;
      export function area(r: number): number { return PI * r * r; }
    }

    @Injectable({ scope: 1 })
    export abstract class Cart<T> implements Store<T> {
      static readonly MAX = 3;
      constructor(private readonly items: T[]) {}
      abstract total(): number;
      @memo()
      describe<K>(key: K): string {
        return `${key}`;
      }
      onClick = (e: Event): void => {};
    }

    export function parse(text: string): Id;
    export function parse(text: unknown): Id {
      return String(text);
    }

    declare const VERSION: string;
    """,
    """
    3-3 type Id
    5-8 interface Store
    7-7 method Store.get
    10-10 enum Color
    10-10 constant Color.Red
    10-10 constant Color.Green
    12-15 module Geo.Plane
    13-13 constant Geo.Plane.PI
    14-14 function Geo.Plane.area
    17-27 class Cart
    19-19 constant Cart.MAX
    20-20 method Cart.constructor
    21-21 method Cart.total
    22-25 method Cart.describe
    26-26 method Cart.onClick
    29-29 function parse
    30-32 function parse
    34-34 constant VERSION
    """,
)

snippet(
    "tsx",
    """
    type Props = { name: string; onPick(id: string): void };

    export const Greeting = ({ name }: Props) => {
      const [open, setOpen] = useState(false);
      const toggle = () => setOpen(!open);
      return <button onClick={toggle}>Hello {name}</button>;
    };

    export default function App() {
      return (
        <Greeting name="Ada" onPick={() => {}} />
      );
    }
    """,
    """
    1-1 type Props
    3-7 function Greeting
    5-5 function Greeting.toggle
    9-13 function App
    """,
)

snippet(
    "go",
    """
    package cart

    import "errors"

    // Limit is how many items fit.
    const Limit = 10

    const (
    \tRed = iota
    \tGreen
    )

    var ErrFull, errEmpty = errors.New("full"), errors.New("empty")

    // Cart holds items.
    type Cart struct {
    \tItems []Item
    }

    type (
    \tStore interface {
    \t\tLoad(id ID) (*Cart, error)
    \t}
    \tID = string
    )

    func New() *Cart { return &Cart{} }

    // Add puts an item in.
    func (c *Cart) Add(item Item) error {
    \tconst local = 1
    \tgo func() {
    \t\tc.Items = append(c.Items, item)
    \t}()
    \treturn nil
    }

    func (l List[T]) Len() int { return len(l.items) }
    """,
    """
    5-6 constant Limit
    9-9 constant Red
    10-10 constant Green
    13-13 constant ErrFull
    13-13 constant errEmpty
    15-18 struct Cart
    21-23 interface Store
    22-22 method Store.Load
    24-24 type ID
    27-27 function New
    29-36 method Cart.Add
    38-38 method List.Len
    """,
)

snippet(
    "rust",
    """
    //! The cart.

    use std::fmt;

    /// How many items fit.
    pub const LIMIT: usize = 10;
    static NAME: &str = "cart";

    /// Holds items.
    #[derive(Debug, Clone)]
    pub struct Cart<T> {
        items: Vec<T>,
    }

    pub enum Color { Red, Green(u8) }

    pub trait Store {
        type Item;
        fn load(&self) -> Self::Item;
        fn reload(&self) -> Self::Item { self.load() }
    }

    impl<T: Clone> Cart<T> {
        pub const EMPTY: usize = 0;

        /// Makes one.
        pub fn new() -> Self {
            fn helper() {}
            Cart { items: vec![] }
        }
    }

    impl<T> fmt::Display for Cart<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) }
    }

    pub type Result<T> = std::result::Result<T, Error>;

    macro_rules! cart {
        ($($x:expr),*) => { Cart::new() };
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn works() {}
    }
    """,
    """
    5-6 constant LIMIT
    7-7 constant NAME
    9-13 struct Cart
    15-15 enum Color
    15-15 constant Color.Red
    15-15 constant Color.Green
    17-21 trait Store
    18-18 type Store.Item
    19-19 method Store.load
    20-20 method Store.reload
    24-24 constant Cart.EMPTY
    26-30 method Cart.new
    28-28 function Cart.new.helper
    34-34 method Cart.fmt
    37-37 type Result
    39-41 macro cart
    43-47 module tests
    45-46 function tests.works
    """,
)

snippet(
    "java",
    """
    package com.example.shop;

    import java.util.List;

    /**
     * What a customer wants.
     */
    @Entity
    public class Cart<T> extends Base {
        public static final int MAX = 10;
        private int count;

        public Cart(int count) { this.count = count; }

        @Override
        public List<T> items(int page) throws IOException {
            int local = 1;
            return List.of();
        }

        interface Store { int VERSION = 1; void save(Cart<?> cart); }

        enum Color {
            RED, GREEN;
            int code() { return 1; }
        }

        record Point(int x, int y) {}
    }
    """,
    """
    5-29 class Cart
    10-10 constant Cart.MAX
    13-13 method Cart.Cart
    15-19 method Cart.items
    21-21 interface Cart.Store
    21-21 constant Cart.Store.VERSION
    21-21 method Cart.Store.save
    23-26 enum Cart.Color
    24-24 constant Cart.Color.RED
    24-24 constant Cart.Color.GREEN
    25-25 method Cart.Color.code
    28-28 class Cart.Point
    """,
)

snippet(
    "kotlin",
    """
    package com.example.shop

    const val MAX = 10
    val names = listOf("a")

    /** What a customer wants. */
    @Serializable
    data class Cart(val items: List<Item>) : Base() {
        val total: Int
            get() = items.size

        constructor(text: String) : this(parse(text))

        override fun describe(): String {
            val local = 1
            fun line(item: Item) = item.name
            return ""
        }

        companion object {
            const val LIMIT = 3
            fun create() = Cart(emptyList())
        }

        enum class Color { RED, GREEN }
    }

    interface Store { fun save(cart: Cart) }

    object Registry {
        fun add(cart: Cart) {}
    }

    fun String.shout(): String = uppercase()
    typealias Id = String
    """,
    """
    3-3 constant MAX
    6-26 class Cart
    9-10 method Cart.total
    12-12 method Cart.constructor
    14-18 method Cart.describe
    16-16 function Cart.describe.line
    21-21 constant Cart.LIMIT
    22-22 method Cart.create
    25-25 enum Cart.Color
    25-25 constant Cart.Color.RED
    25-25 constant Cart.Color.GREEN
    28-28 interface Store
    28-28 method Store.save
    30-32 class Registry
    31-31 method Registry.add
    34-34 method String.shout
    35-35 type Id
    """,
)

snippet(
    "c",
    """
    #ifndef CART_H
    #define CART_H
    #include <stdio.h>
    #define MAX_ITEMS 10
    #define SQUARE(x) ((x) * (x))

    typedef struct cart {
        int count;
    } cart_t;

    typedef struct {
        int x;
    } point_t;

    enum color { RED, GREEN };
    typedef int (*callback)(int);

    static const char *names[] = { "a", "b" };
    int counter;
    int cart_size(cart_t *cart);

    /* Adds an item.
     * Returns the new count. */
    static inline int
    cart_add(cart_t *cart, int item)
    {
        static int calls = 0;
        struct cart *other;
        return ++cart->count;
    }

    #ifdef DEBUG
    void cart_dump(void) { puts("cart"); }
    #endif
    #endif
    """,
    """
    4-4 macro MAX_ITEMS
    5-5 macro SQUARE
    7-9 type cart_t
    7-9 struct cart
    11-13 struct point_t
    15-15 enum color
    15-15 constant color.RED
    15-15 constant color.GREEN
    16-16 type callback
    18-18 constant names
    22-30 function cart_add
    33-33 function cart_dump
    """,
)

snippet(
    "cpp",
    """
    #include <vector>

    namespace shop::core {

    /// What a customer wants.
    template <typename T>
    class Cart : public Base {
     public:
      static constexpr int kMax = 10;
      using value_type = T;

      Cart() : count_(0) {}
      ~Cart() = default;
      explicit Cart(int count);
      bool operator==(const Cart& other) const { return true; }
      virtual int total() const = 0;

      struct Item {
        int price;
        void reset() { price = 0; }
      };
      enum class Color { Red };

     private:
      int count_;
    };

    constexpr int kLimit = 3;

    namespace {
    int hidden() { return 1; }
    }

    }  // namespace shop::core

    template <typename T>
    shop::core::Cart<T>::Cart(int count) : count_(count) {}

    std::ostream& operator<<(std::ostream& out, const Item& item) {
      auto write = [&](int x) { return out << x; };
      return out;
    }
    """,
    """
    3-34 module shop.core
    5-26 class shop.core.Cart
    9-9 constant shop.core.Cart.kMax
    10-10 type shop.core.Cart.value_type
    12-12 method shop.core.Cart.Cart
    13-13 method shop.core.Cart.~Cart
    14-14 method shop.core.Cart.Cart
    15-15 method shop.core.Cart.operator==
    16-16 method shop.core.Cart.total
    18-21 struct shop.core.Cart.Item
    20-20 method shop.core.Cart.Item.reset
    22-22 enum shop.core.Cart.Color
    22-22 constant shop.core.Cart.Color.Red
    28-28 constant shop.core.kLimit
    31-31 function shop.core.hidden
    36-37 method shop.core.Cart.Cart
    39-42 function operator<<
    """,
)

snippet(
    "csharp",
    """
    using System;

    namespace Shop.Core
    {
        /// <summary>What a customer wants.</summary>
        [Serializable]
        public class Cart<T> : Base
        {
            public const int Max = 10;
            public static readonly TimeSpan Wait = TimeSpan.Zero;
            private int count;

            public int Total { get; set; }

            public Cart(int count) { this.count = count; }

            [Test]
            public async Task<int> LoadAsync(string id)
            {
                int Twice(int x) => 2 * x;
                return Twice(1);
            }

            public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a;
            public delegate void Changed(int count);
            enum Color { Red }
        }

        public record Point(int X, int Y);
        public interface IStore { void Save(); }
        public struct Money { public int Cents; }
    }
    """,
    """
    5-27 class Cart
    9-9 constant Cart.Max
    10-10 constant Cart.Wait
    13-13 method Cart.Total
    15-15 method Cart.Cart
    17-22 method Cart.LoadAsync
    20-20 function Cart.LoadAsync.Twice
    24-24 method Cart.operator +
    25-25 type Cart.Changed
    26-26 enum Cart.Color
    26-26 constant Cart.Color.Red
    29-29 class Point
    30-30 interface IStore
    30-30 method IStore.Save
    31-31 struct Money
    """,
)

snippet(
    "ruby",
    """
    require "json"

    # Everything for sale.
    module Shop
      LIMIT = 3

      class Cart < Base
        TAX = 0.2
        attr_reader :items

        def initialize(items)
          local = 1
          @items = items
        end

        def empty? = items.empty?

        def self.load(path)
          new(JSON.parse(path))
        end

        class << self
          def build; new([]); end
        end

        private def total
          items.sum
        end
      end

      class Api::Error < StandardError; end
    end

    Point = Struct.new(:x, :y) do
      def length
        x + y
      end
    end

    def helper; end
    """,
    """
    3-32 module Shop
    5-5 constant Shop.LIMIT
    7-29 class Shop.Cart
    8-8 constant Shop.Cart.TAX
    11-14 method Shop.Cart.initialize
    16-16 method Shop.Cart.empty?
    18-20 method Shop.Cart.load
    23-23 method Shop.Cart.build
    26-28 method Shop.Cart.total
    31-31 class Shop.Api.Error
    34-38 class Point
    35-37 method Point.length
    40-40 function helper
    """,
)

snippet(
    "php",
    """
    <?php

    namespace App\\Shop;

    use App\\Base;

    const LIMIT = 10;

    /**
     * What a customer wants.
     */
    #[Entity]
    final class Cart extends Base
    {
        const MAX = 3;
        public int $count = 0;

        public function __construct(private array $items) {}

        #[Test]
        public static function load(string $id): self
        {
            $make = function () { return new self([]); };
            return $make();
        }
    }

    interface Store { public function save(Cart $cart): void; }
    trait Counts { public function count() { return 1; } }
    enum Suit: string { case Hearts = 'h'; const Wild = self::Hearts; }
    function helper($x) { return fn($y) => $x + $y; }
    """,
    """
    7-7 constant LIMIT
    9-26 class Cart
    15-15 constant Cart.MAX
    18-18 method Cart.__construct
    20-25 method Cart.load
    28-28 interface Store
    28-28 method Store.save
    29-29 trait Counts
    29-29 method Counts.count
    30-30 enum Suit
    30-30 constant Suit.Hearts
    30-30 constant Suit.Wild
    31-31 function helper
    """,
)

snippet(
    "swift",
    """
    import Foundation

    let limit = 10

    /// What a customer wants.
    @objc public class Cart: NSObject {
        static let max = 3
        var items: [Item] = []

        var total: Int {
            return items.count
        }

        init(items: [Item]) { self.items = items }

        func add<T>(_ item: T) -> Int {
            let local = 1
            return local
        }

        enum Color { case red, green }
    }

    struct Point { var x: Int }
    protocol Store { func save(_ cart: Cart) }

    extension Cart: Store {
        func save(_ cart: Cart) {}
    }

    typealias Id = String
    func == (a: Point, b: Point) -> Bool { true }
    """,
    """
    3-3 constant limit
    5-22 class Cart
    7-7 constant Cart.max
    10-12 method Cart.total
    14-14 method Cart.init
    16-19 method Cart.add
    21-21 enum Cart.Color
    21-21 constant Cart.Color.red
    21-21 constant Cart.Color.green
    24-24 struct Point
    25-25 interface Store
    25-25 method Store.save
    28-28 method Cart.save
    31-31 type Id
    32-32 function ==
    """,
)

snippet(
    "scala",
    """
    package com.example.shop

    import scala.collection.mutable

    /** What a customer wants. */
    @Entity
    case class Cart(items: List[Item]) extends Base {
      val Tax = 0.2
      val count = items.size
      type Key = String

      def total(rate: Double): Double = {
        val Local = 1
        def price(item: Item) = item.price
        items.map(price).sum
      }
    }

    object Cart {
      val Limit = 10
      def apply() = new Cart(Nil)
    }

    trait Store { def save(cart: Cart): Unit }

    enum Color {
      case Red, Green
    }
    """,
    """
    5-17 class Cart
    8-8 constant Cart.Tax
    10-10 type Cart.Key
    12-16 method Cart.total
    14-14 function Cart.total.price
    19-22 class Cart
    20-20 constant Cart.Limit
    21-21 method Cart.apply
    24-24 trait Store
    24-24 method Store.save
    26-28 enum Color
    27-27 constant Color.Red
    27-27 constant Color.Green
    """,
)

snippet(
    "lua",
    """
    local M = {}
    local LIMIT = 10
    local count = 0

    -- Makes a cart.
    function M.new(items)
      local TEMP = 1
      return setmetatable({ items = items }, M)
    end

    function M:add(item)
      table.insert(self.items, item)
    end

    local function helper() end

    M.clear = function(self)
      self.items = {}
    end

    M.hooks = {
      before = function() end,
      deep = {
        after = function() end,
      },
    }

    return M
    """,
    """
    2-2 constant LIMIT
    5-9 function M.new
    11-13 method M.add
    15-15 function helper
    17-19 function M.clear
    22-22 function M.hooks.before
    24-24 function M.hooks.deep.after
    """,
)

snippet(
    "elixir",
    """
    defmodule Shop.Cart do
      @moduledoc "What a customer wants."
      use GenServer

      @limit 10
      @type t :: %__MODULE__{}
      @callback save(t) :: :ok

      defstruct items: []

      @doc "Adds an item."
      @spec add(t, term) :: t
      def add(cart, item) do
        local = 1
        %{cart | items: [item | cart.items]}
      end

      def add(cart, item, n) when n > 0, do: add(cart, item)
      defp empty?, do: true
      defmacro cart(do: block), do: block

      defmodule Item do
        def price(item), do: item.price
      end
    end

    defprotocol Priced do
      def price(thing)
    end

    defimpl Priced, for: Shop.Cart do
      def price(cart), do: 0
    end
    """,
    """
    1-25 module Shop.Cart
    5-5 constant Shop.Cart.limit
    6-6 type Shop.Cart.t
    7-7 function Shop.Cart.save
    11-16 function Shop.Cart.add
    18-18 function Shop.Cart.add
    19-19 function Shop.Cart.empty?
    20-20 macro Shop.Cart.cart
    22-24 module Shop.Cart.Item
    23-23 function Shop.Cart.Item.price
    27-29 interface Priced
    28-28 function Priced.price
    31-33 module Priced.Shop.Cart
    32-32 function Priced.Shop.Cart.price
    """,
)

snippet(
    "bash",
    """
    #!/usr/bin/env bash
    # Builds everything.
    set -euo pipefail

    readonly LIMIT=10
    export TARGET_DIR=/tmp
    lower=1

    # Compiles one file.
    compile() {
      local OUT=$1
      cc "$OUT"
    }

    function deploy {
      compile main.c
    }

    if [ -n "$CI" ]; then
      cleanup() { rm -rf "$TARGET_DIR"; }
    fi
    """,
    """
    5-5 constant LIMIT
    6-6 constant TARGET_DIR
    9-13 function compile
    15-17 function deploy
    20-20 function cleanup
    """,
)


def test_every_grammar_has_a_snippet() -> None:
    assert set(SNIPPETS) == GRAMMARS


@pytest.mark.parametrize("language", sorted(SNIPPETS))
def test_symbols_of(language: str) -> None:
    source, expected = SNIPPETS[language]
    found = symbols_in(source.encode(), language)
    assert [
        f"{symbol.first_line}-{symbol.last_line} {symbol.kind} {symbol.qualified}" for symbol in found
    ] == expected.splitlines()
    assert all(symbol.qualified.endswith(symbol.name) for symbol in found)


@pytest.mark.parametrize("language", sorted(SNIPPETS))
def test_carriage_returns_change_nothing(language: str) -> None:
    source, _ = SNIPPETS[language]
    if language == "bash":
        source = source.replace("set -euo pipefail\n", "\n")
    plain, dos = (symbols_in(text.encode(), language) for text in (source, source.replace("\n", "\r\n")))
    assert [symbol.qualified for symbol in dos] == [symbol.qualified for symbol in plain]
    assert [symbol.first_line for symbol in dos] == [symbol.first_line for symbol in plain]


def ends_early(language: str) -> bool:
    """True when the first symbol ends in the first half of its snippet."""
    source, expected = SNIPPETS[language]
    return int(expected.split("-")[1].split()[0]) <= source.count("\n") // 2


@pytest.mark.parametrize("language", sorted(filter(ends_early, SNIPPETS)))
def test_a_file_cut_off_anywhere_still_gives_what_came_before(language: str) -> None:
    source, expected = SNIPPETS[language]
    lines = source.splitlines(keepends=True)
    first = expected.split()[2]
    for end in range(len(lines) // 2, len(lines)):
        found = symbols_in("".join(lines[:end]).encode(), language)
        assert first in {symbol.qualified for symbol in found}
