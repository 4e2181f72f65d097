/// Names of Unicode properties, from the dialect's words to PCRE2's.
enum UnicodeProperty {
  /// What `\p{…}` holds.
  enum Query: Equatable {
    case oneLetter(String)
    case named(String)
    case valued(property: String, value: String)
  }

  /// - Returns: nil for a name that is none. A script is not looked up: PCRE2 knows them itself, and refuses
  ///   those that it does not.
  static func characterClass(_ query: Query) -> CharacterClass? {
    switch query {
    case .oneLetter(let letter):
      return generalCategory(normalized(letter))
    case .named(let name):
      let name = normalized(name)
      if binary.contains(name), !["cf", "sc", "lc"].contains(name) { return CharacterClass(property: name) }
      return generalCategory(name) ?? script("sc", name)
    case .valued(let property, let value):
      let value = normalized(value)
      switch normalized(property) {
      case "gc", "generalcategory": return generalCategory(value)
      case "sc", "script": return script("sc", value)
      case "scx", "scriptextensions": return script("scx", value)
      default: return nil
      }
    }
  }

  /// Loose matching by UAX #44: case, blanks, hyphens, underscores and a leading "is" do not count.
  static func normalized(_ name: String) -> String {
    var bytes = Array(name.utf8)
    let startsWithIs = bytes.count >= 2 && bytes[0] | 0x20 == UInt8(ascii: "i") && bytes[1] | 0x20 == UInt8(ascii: "s")
    if startsWithIs { bytes.removeFirst(2) }
    bytes.removeAll { $0 == 0x20 || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") || $0 >= 0x80 }
    let plain = String(decoding: bytes.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    // `isc` would become the category `c`, but is the name of a property of its own.
    return startsWithIs && plain == "c" ? "isc" : plain
  }

  private static func script(_ kind: String, _ name: String) -> CharacterClass? {
    let isName = !name.isEmpty && name.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7A }
    // Of PCRE2 only: not a script of the dialect.
    guard isName, name != "unknown", name != "zzzz" else { return nil }
    return CharacterClass(property: "\(kind):\(name)")
  }

  private static func generalCategory(_ name: String) -> CharacterClass? {
    switch name {
    case "any": CharacterClass(ScalarSet.all)
    case "ascii": CharacterClass([0x00...0x7F])
    case "assigned": CharacterClass(property: "Cn").negated
    default: categories[name].map { CharacterClass(property: $0) }
    }
  }

  /// By normalized name. There are no surrogates in text, so their category is missing.
  private static let categories: [String: String] = {
    let names: [(String, [String])] = [
      ("C", ["c", "other"]), ("Cc", ["cc", "control", "cntrl"]), ("Cf", ["cf", "format"]),
      ("Cn", ["cn", "unassigned"]), ("Co", ["co", "privateuse"]), ("L", ["l", "letter"]),
      ("L&", ["lc", "casedletter"]), ("Ll", ["ll", "lowercaseletter"]), ("Lm", ["lm", "modifierletter"]),
      ("Lo", ["lo", "otherletter"]), ("Lt", ["lt", "titlecaseletter"]), ("Lu", ["lu", "uppercaseletter"]),
      ("M", ["m", "mark", "combiningmark"]), ("Mc", ["mc", "spacingmark"]), ("Me", ["me", "enclosingmark"]),
      ("Mn", ["mn", "nonspacingmark"]), ("N", ["n", "number"]), ("Nd", ["nd", "decimalnumber", "digit"]),
      ("Nl", ["nl", "letternumber"]), ("No", ["no", "othernumber"]), ("P", ["p", "punctuation", "punct"]),
      ("Pc", ["pc", "connectorpunctuation"]), ("Pd", ["pd", "dashpunctuation"]), ("Pe", ["pe", "closepunctuation"]),
      ("Pf", ["pf", "finalpunctuation"]), ("Pi", ["pi", "initialpunctuation"]), ("Po", ["po", "otherpunctuation"]),
      ("Ps", ["ps", "openpunctuation"]), ("S", ["s", "symbol"]), ("Sc", ["sc", "currencysymbol"]),
      ("Sk", ["sk", "modifiersymbol"]), ("Sm", ["sm", "mathsymbol"]), ("So", ["so", "othersymbol"]),
      ("Z", ["z", "separator"]), ("Zl", ["zl", "lineseparator"]), ("Zp", ["zp", "paragraphseparator"]),
      ("Zs", ["zs", "spaceseparator"]),
    ]
    return names.reduce(into: [:]) { table, row in
      for name in row.1 { table[name] = row.0 }
    }
  }()

  /// Normalized names that the dialect has and PCRE2 understands in the same way.
  private static let binary: Set<String> = [
    "ahex", "asciihexdigit", "alpha", "alphabetic", "bidic", "bidicontrol", "bidim", "bidimirrored", "caseignorable",
    "ci", "cased", "changeswhencasefolded", "cwcf", "changeswhencasemapped", "cwcm", "changeswhenlowercased", "cwl",
    "changeswhentitlecased", "cwt", "changeswhenuppercased", "cwu", "dash", "defaultignorablecodepoint", "di", "dep",
    "deprecated", "dia", "diacritic", "emoji", "emojicomponent", "ecomp", "emojimodifier", "emod",
    "emojimodifierbase", "ebase", "emojipresentation", "epres", "extendedpictographic", "extpict", "ext", "extender",
    "graphemebase", "grbase", "graphemeextend", "grext", "graphemelink", "grlink", "hex", "hexdigit", "idcontinue",
    "idc", "idstart", "ids", "ideographic", "ideo", "idsb", "idsbinaryoperator", "idst", "idstrinaryoperator",
    "joinc", "joincontrol", "logicalorderexception", "loe", "lower", "lowercase", "math", "noncharactercodepoint",
    "nchar", "patternsyntax", "patsyn", "patternwhitespace", "patws", "prependedconcatenationmark", "pcm",
    "quotationmark", "qmark", "radical", "regionalindicator", "ri", "sentenceterminal", "sterm", "softdotted", "sd",
    "terminalpunctuation", "term", "unifiedideograph", "uideo", "upper", "uppercase", "variationselector", "vs",
    "whitespace", "wspace", "space", "xidcontinue", "xidc", "xidstart", "xids",
  ]
}
