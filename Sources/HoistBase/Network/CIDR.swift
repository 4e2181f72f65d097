/// A range of addresses: `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, `2001:db8::/32`, or one address alone.
/// Plain memory.
@frozen public struct CIDR: Sendable, Hashable, BitwiseCopyable {
  /// The first address of the range.
  public let network: IPAddress
  @usableFromInline let highMask: UInt64
  @usableFromInline let lowMask: UInt64

  /// Reads an address with an optional `/` and the number of leading bits that count, 0 to 32 or
  /// 128 (`+` and leading zeros are taken), or, for IPv4, a mask whose ones come first. Bits of the
  /// address after those may be set (protocols/unleash.md C.7).
  public init?(_ text: ByteView) {
    let slash = text.firstIndex(of: 0x2F)
    guard let address = IPAddress(text.view(from: 0, to: slash ?? text.count)) else { return nil }
    let width = address.family == .v4 ? 32 : 128
    var bits = width
    if let slash {
      let suffix = text.view(from: slash + 1, to: text.count)
      guard let given = Self.bits(suffix, of: address.family), given <= width else { return nil }
      bits = given
    }
    if address.family == .v4 {
      highMask = 0
      lowMask = 0xFFFF_FFFF & UInt64.max << (32 - bits)
    } else {
      highMask = UInt64.max << (64 - min(bits, 64))
      lowMask = UInt64.max << (64 - max(bits - 64, 0))
    }
    network = IPAddress(
      family: address.family, high: address.high & highMask, low: address.low & lowMask)
  }

  /// IPv4 addresses are only in IPv4 ranges, also those written as `::ffff:a.b.c.d` are not.
  @inlinable
  public func contains(_ address: IPAddress) -> Bool {
    address.family == network.family && address.high & highMask == network.high
      && address.low & lowMask == network.low
  }

  private static func bits(_ suffix: ByteView, of family: IPAddress.Family) -> Int? {
    if family == .v4, let mask = IPAddress(suffix), mask.family == .v4 {
      let zeros = 0xFFFF_FFFF & ~mask.low
      return zeros & (zeros &+ 1) == 0 ? 32 - zeros.nonzeroBitCount : nil
    }
    return IntegerParser.parse(suffix, as: UInt8.self, signs: .plus).value.map(Int.init)
  }
}
