internal import HoistBase

/// What the service calls things, in the order of their numbers.
enum DatumNames {
  static let devices: [StaticString] = ["PHONE", "TABLET", "DESKTOP"]
  static let browsers: [StaticString] = ["CHROME", "INTERNET_EXPLORER", "FIREFOX", "SAFARI", "OPERA", "OTHER"]
  static let operatingSystems: [StaticString] = ["WINDOWS", "MAC", "IOS", "LINUX", "ANDROID", "WINDOWS_PHONE"]

  /// - Returns: nil for a name that is not among them.
  static func number(of name: some ByteSource, in names: [StaticString]) -> Int32? {
    name.withBytes { name in names.firstIndex { known in known.withBytes { $0.hasSameBytes(as: name) } } }
      .map { Int32(truncatingIfNeeded: $0) }
  }

  fileprivate static func name(_ number: Int32, in names: [StaticString]) -> StaticString {
    names.indices.contains(Int(number)) ? names[Int(number)] : ""
  }
}

extension Device {
  var name: StaticString { DatumNames.name(rawValue, in: DatumNames.devices) }
  init?(name: some ByteSource) {
    guard let number = DatumNames.number(of: name, in: DatumNames.devices) else { return nil }
    self.init(rawValue: number)
  }
}

extension BrowserKind {
  var name: StaticString { DatumNames.name(rawValue, in: DatumNames.browsers) }
  init?(name: some ByteSource) {
    guard let number = DatumNames.number(of: name, in: DatumNames.browsers) else { return nil }
    self.init(rawValue: number)
  }
}

extension OperatingSystem {
  var name: StaticString { DatumNames.name(rawValue, in: DatumNames.operatingSystems) }
  init?(name: some ByteSource) {
    guard let number = DatumNames.number(of: name, in: DatumNames.operatingSystems) else { return nil }
    self.init(rawValue: number)
  }
}
