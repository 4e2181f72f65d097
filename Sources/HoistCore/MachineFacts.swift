internal import Glibc
internal import HoistBase

/// Facts about the machine; nil for unknown ones.
public struct MachineFacts: Sendable, Equatable {
  public var manufacturer: String?
  public var model: String?
  /// Of the operating system.
  public var family: String?
  public var system: String?
  public var systemVersion: String?
  /// Name and version for people.
  public var systemTitle: String?
  /// Of the kernel.
  public var release: String?
  /// "x86_64".
  public var architecture: String?
  /// A language tag, "de-AT".
  public var locale: String?

  public init(
    manufacturer: String? = nil, model: String? = nil, family: String? = nil, system: String? = nil,
    systemVersion: String? = nil, locale: String? = nil
  ) {
    self.manufacturer = manufacturer
    self.model = model
    self.family = family
    self.system = system
    self.systemVersion = systemVersion
    self.locale = locale
  }
}

extension MachineFacts {
  private static let maximumBytes = 64 << 10

  /// The machine this runs on. Reads small files of the system.
  public static func current() -> MachineFacts {
    let release = (try? FileContent.read(path: "/etc/os-release", limitBytes: maximumBytes)) ?? []
    var facts = MachineFacts(
      manufacturer: firmware("sys_vendor"), model: firmware("product_name"), family: "Linux",
      system: value(of: "NAME", inRelease: release) ?? "Linux",
      systemVersion: value(of: "VERSION_ID", inRelease: release), locale: currentLocale)
    facts.systemTitle = value(of: "PRETTY_NAME", inRelease: release)
    var kernel = utsname()
    if uname(&kernel) == 0 {
      facts.release = withUnsafeBytes(of: kernel.release) { text($0) }
      facts.architecture = withUnsafeBytes(of: kernel.machine) { text($0) }
    }
    return facts
  }

  /// The bytes before the NUL; nil for none.
  private static func text(_ place: ByteView) -> String? { line(Array(place.prefix { $0 != 0 })[...]) }

  private static func firmware(_ name: String) -> String? {
    let content = try? FileContent.read(path: "/sys/class/dmi/id/\(name)", limitBytes: maximumBytes)
    return content.flatMap { line($0[...]) }
  }

  /// A value of a file of lines like `NAME="Debian GNU/Linux"`.
  public static func value(of name: String, inRelease content: [UInt8]) -> String? {
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
      if let value = Environment.value(name), !value.isEmpty { return languageTag(value) }
    }
    return nil
  }

  /// `de_AT.UTF-8@euro` as "de-AT"; nil for the locale that speaks no language.
  public static func languageTag(_ locale: String) -> String? {
    let name = locale.utf8.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "@") }
    let text = String(decoding: name.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
    let speaksNone = text.withBytes { $0.count == 0 || $0.reads("C") || $0.reads("POSIX") }
    return speaksNone ? nil : text
  }
}
