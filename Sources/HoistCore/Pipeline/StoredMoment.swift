internal import HoistBase

/// When a record was made, behind its payload in the store and in journals: so another run of the same boot knows how old the
/// record is, whatever the wall clock has shown to either.
extension BootMoment {
  /// No text ends like that.
  private static let mark: [UInt8] = [0x00, 0x6D, 0x73, 0xFF]
  private static let size = 20

  func mark(_ payload: inout [UInt8]) {
    for number in [boot, UInt64(bitPattern: milliseconds)] { withUnsafeBytes(of: number.littleEndian) { payload += $0 } }
    payload += Self.mark
  }

  /// - Returns: nil for a payload that has none.
  static func take(from payload: inout [UInt8]) -> BootMoment? {
    guard payload.count >= size, payload.suffix(mark.count).elementsEqual(mark) else { return nil }
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    let numbers = payload.suffix(size)
    let moment = BootMoment(
      boot: number(numbers.prefix(8)), milliseconds: Int64(bitPattern: number(numbers.dropFirst(8).prefix(8))))
    payload.removeLast(size)
    return moment
  }
}

extension EventRow {
  /// As its policy knows it, for a cache manager that keeps rows in a form of its own.
  public var unmarked: EventRow {
    var row = self
    _ = BootMoment.take(from: &row.payload)
    return row
  }
}
