/// The classes that have a name: `\d`, `\s`, `\w`, `.`, and POSIX ones.
extension CharacterClass {
  /// `\d`: decimal digits of any script.
  static let digit = CharacterClass(property: "Nd", and: ScalarSet([0x30...0x39]))

  /// `\s`: White_Space.
  static let space = CharacterClass([
    0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
    0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
  ])

  /// `\w`: Alphabetic, marks, decimal digits, connectors and joiners, by UTS #18. PCRE2's own has fewer.
  static let word = {
    var word = CharacterClass(property: "Alphabetic", and: asciiWord.ranges.union(ScalarSet([0x200C...0x200D])))
    for category in ["M", "Nd", "Pc"] { word.formUnion(CharacterClass(property: category)) }
    return word
  }()

  static let asciiDigit = CharacterClass([0x30...0x39])
  static let asciiSpace = CharacterClass([0x09...0x0D, 0x20...0x20])
  static let asciiWord = CharacterClass([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])

  /// A class by its POSIX name, ASCII only.
  static func posix(_ name: String) -> CharacterClass? {
    switch name {
    case "alnum": CharacterClass([0x30...0x39, 0x41...0x5A, 0x61...0x7A])
    case "alpha": CharacterClass([0x41...0x5A, 0x61...0x7A])
    case "ascii": CharacterClass([0x00...0x7F])
    case "blank": CharacterClass([0x09...0x09, 0x20...0x20])
    case "cntrl": CharacterClass([0x00...0x1F, 0x7F...0x7F])
    case "digit": asciiDigit
    case "graph": CharacterClass([0x21...0x7E])
    case "lower": CharacterClass([0x61...0x7A])
    case "print": CharacterClass([0x20...0x7E])
    case "punct": CharacterClass([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E])
    case "space": asciiSpace
    case "upper": CharacterClass([0x41...0x5A])
    case "word": asciiWord
    case "xdigit": CharacterClass([0x30...0x39, 0x41...0x46, 0x61...0x66])
    default: nil
    }
  }
}
