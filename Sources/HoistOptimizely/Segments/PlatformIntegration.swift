internal import HoistBase

/// The address of the data platform and the key for it.
struct PlatformAddress: Sendable, Equatable {
  let host: String
  let apiKey: String

  /// nil where either is missing, or the key could not be sent.
  init?(host: String?, apiKey: String?) {
    guard let host, !host.isEmpty, let apiKey, !apiKey.isEmpty, HeaderText.isSafeValue(apiKey) else { return nil }
    self.host = host.utf8.last == 0x2F ? String(host.dropLast()) : host
    self.apiKey = apiKey
  }

  static func == (left: PlatformAddress, right: PlatformAddress) -> Bool {
    left.host.utf8.elementsEqual(right.host.utf8) && left.apiKey.utf8.elementsEqual(right.apiKey.utf8)
  }
}

/// What the datafile says of the data platform (protocols/optimizely.md 5.7).
enum PlatformIntegration: Sendable, Equatable {
  /// There was no datafile yet.
  case notDetermined
  case absent
  case present(PlatformAddress)

  var address: PlatformAddress? {
    if case .present(let address) = self { address } else { nil }
  }
}
