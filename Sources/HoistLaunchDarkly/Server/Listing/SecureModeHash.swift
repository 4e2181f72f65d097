internal import HoistBase

/// Shows a browser's service that a context comes from a holder of the SDK key (6.1).
enum SecureModeHash {
  static func text(of context: LDContext, sdkKey: ByteView) -> String {
    context.fullyQualifiedKey.withBytes { Hex.encode(HMACSHA256.hash(key: sdkKey, $0)) }
  }
}
