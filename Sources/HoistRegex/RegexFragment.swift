/// A translated piece of a pattern.
struct RegexFragment {
  /// In PCRE2's syntax.
  var text: [UInt8] = []
  /// To PCRE2 an item by itself, one code point wide.
  var isSingleItem = false
  /// Can match nothing but the empty text.
  var isZeroWidth = true
  /// A flag setting: takes no repetition.
  var isFlags = false
  /// Levels of syntax in it, as the dialect counts them against its limit.
  var depth = 0
  /// Estimated bytes of the dialect's own compiled form, which it limits.
  var cost = 0

  static let flags = RegexFragment(isFlags: true)

  static func assertion(_ text: StaticString) -> RegexFragment { RegexFragment(text: RegexText.ascii(text)) }

  static func assertion(_ text: [UInt8]) -> RegexFragment { RegexFragment(text: text) }

  static func characterClass(_ characters: CharacterClass, depth: Int = 0, cost: Int) -> RegexFragment {
    RegexFragment(
      text: characters.text, isSingleItem: characters.isSingleItem, isZeroWidth: false, depth: depth, cost: cost)
  }

  static func concatenation(_ items: [RegexFragment]) -> RegexFragment {
    if items.count == 1, let only = items.first { return only }
    return joined(items, text: Array(items.map(\.text).joined()))
  }

  static func alternation(_ branches: [RegexFragment]) -> RegexFragment {
    if branches.count == 1, let only = branches.first { return only }
    return joined(branches, text: Array(branches.map(\.text).joined(separator: RegexText.ascii("|"))))
  }

  func grouped() -> RegexFragment {
    RegexFragment(
      text: Self.parenthesized(text), isZeroWidth: isZeroWidth, depth: depth + 1, cost: cost)
  }

  private static func joined(_ parts: [RegexFragment], text: [UInt8]) -> RegexFragment {
    RegexFragment(
      text: text, isZeroWidth: parts.allSatisfy(\.isZeroWidth),
      depth: parts.isEmpty ? 0 : 1 + parts.reduce(0) { max($0, $1.depth) },
      cost: parts.reduce(0) { $0 + $1.cost })
  }

  private static func parenthesized(_ text: [UInt8]) -> [UInt8] {
    RegexText.ascii("(?:") + text + RegexText.ascii(")")
  }
}

/// Repetition.
extension RegexFragment {
  /// PCRE2's largest count.
  private static let greatestCount = 65535

  /// - Parameter most: nil for any number.
  func repeated(atLeast least: Int, atMost most: Int?) -> RegexFragment {
    var fragment = RegexFragment(isZeroWidth: isZeroWidth || most == 0, depth: depth + 1)
    fragment.cost = Self.product(cost, max(least, most ?? 0, 1))
    if isZeroWidth {
      // Empty when it holds or is not asked; so one time is as good as many.
      fragment.text = least == 0 ? [] : Self.parenthesized(text)
    } else if most != 0 {
      let item = isSingleItem ? text : Self.parenthesized(text)
      fragment.text = counted(item, least, most)
    }
    return fragment
  }

  /// For an item by itself with an open end, the open part is written with `*`: PCRE2's breadth-first matcher counts
  /// the steps of `+`, so that a search would keep one state for every place it began at.
  private func counted(_ item: [UInt8], _ least: Int, _ most: Int?) -> [UInt8] {
    guard let most else {
      if isSingleItem { return (least == 0 ? [] : exactly(least, item)) + item + RegexText.ascii("*") }
      switch least {
      case 0: return item + RegexText.ascii("*")
      case 1: return item + RegexText.ascii("+")
      default: return item + Array("{\(least),}".utf8)
      }
    }
    if most == least { return exactly(least, item) }
    if most <= Self.greatestCount { return item + Array("{\(least),\(most)}".utf8) }
    return exactly(least, item) + upTo(most - least, item)
  }

  private func exactly(_ count: Int, _ item: [UInt8]) -> [UInt8] {
    if count == 1 { return item }
    return chunks(of: count).flatMap { item + Array("{\($0)}".utf8) }
  }

  private func upTo(_ count: Int, _ item: [UInt8]) -> [UInt8] {
    chunks(of: count).flatMap { item + Array("{0,\($0)}".utf8) }
  }

  private func chunks(of count: Int) -> [Int] {
    let whole = Array(repeating: Self.greatestCount, count: count / Self.greatestCount)
    let rest = count % Self.greatestCount
    return rest == 0 ? whole : whole + [rest]
  }

  private static func product(_ left: Int, _ right: Int) -> Int {
    let (product, overflows) = left.multipliedReportingOverflow(by: right)
    return overflows ? .max : product
  }
}
