internal import Glibc
internal import HoistCore

/// What the machine tells of itself; nil for what it does not.
struct MachineFacts: Sendable, Equatable {
  var manufacturer: String?
  var model: String?
  /// Of the operating system.
  var family: String?
  var system: String?
  var systemVersion: String?
  /// A language tag, "de-AT".
  var locale: String?
}

extension MachineFacts {
  private static let maximumBytes = 64 << 10

  /// The machine this runs on. Reads small files of the system.
  static func current() -> MachineFacts {
    let release = (try? FileContent.read(path: "/etc/os-release", limitBytes: maximumBytes)) ?? []
    return MachineFacts(
      manufacturer: firmware("sys_vendor"), model: firmware("product_name"), family: "Linux",
      system: value(of: "NAME", inRelease: release) ?? "Linux",
      systemVersion: value(of: "VERSION_ID", inRelease: release), locale: currentLocale)
  }

  private static func firmware(_ name: String) -> String? {
    let content = try? FileContent.read(path: "/sys/class/dmi/id/\(name)", limitBytes: maximumBytes)
    return content.flatMap { line($0[...]) }
  }

  /// A value of a file of lines like `NAME="Debian GNU/Linux"`.
  static func value(of name: String, inRelease content: [UInt8]) -> String? {
    for entry in content.split(separator: UInt8(ascii: "\n")) {
      guard let equals = entry.firstIndex(of: UInt8(ascii: "=")), entry[..<equals].elementsEqual(name.utf8) else { continue }
      let value = entry[(equals + 1)...]
      let isQuoted = value.count >= 2 && value.first == value.last && (value.first == 0x22 || value.first == 0x27)
      return line(isQuoted ? value.dropFirst().dropLast() : value)
    }
    return nil
  }

  /// The text without blanks around it; nil for none.
  private static func line(_ bytes: ArraySlice<UInt8>) -> String? {
    let isBlank: (UInt8) -> Bool = { $0 <= 0x20 }
    let start = bytes.drop(while: isBlank)
    guard let last = start.lastIndex(where: { !isBlank($0) }) else { return nil }
    return String(decoding: start[...last], as: UTF8.self)
  }

  private static var currentLocale: String? {
    for name in ["LC_ALL", "LC_MESSAGES", "LANG"] {
      if let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty { return languageTag(value) }
    }
    return nil
  }

  /// `de_AT.UTF-8@euro` as "de-AT"; nil for the locale that speaks no language.
  static func languageTag(_ locale: String) -> String? {
    let name = locale.utf8.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }
    let text = String(decoding: name.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
    return text.isEmpty || text.reads("C") || text.reads("POSIX") ? nil : text
  }
}
