/// Makes texts smaller that have much in common with a sample, or with themselves: a repetition of four bytes or more is
/// written down as where it came before. Made to be quick; a text without repetitions grows by a 128th.
public struct TextPacker: ~Copyable {
  private static let slotBits = 11
  private static let shortest = 4
  private static let longest = shortest + 0x7F
  private static let farthest = 0xFFFF
  private static let longestLiteral = 0x80

  private let sampleCount: Int
  /// Where four bytes were seen last, by their hash.
  private let sampled: [UInt32]
  private var slots: [UInt32]
  private var window: [UInt8]

  public init(sample: StaticString) {
    window = sample.withBytes { Array($0) }
    sampleCount = window.count
    var slots = [UInt32](repeating: .max, count: 1 << Self.slotBits)
    window.withUnsafeBytes { window in
      for at in 0..<max(0, window.count - Self.shortest + 1) { slots[Self.slot(window, at)] = UInt32(at) }
    }
    (sampled, self.slots) = (slots, slots)
  }

  private static func word(_ window: UnsafeRawBufferPointer, _ at: Int) -> UInt32 {
    window.loadUnaligned(fromByteOffset: at, as: UInt32.self)
  }

  private static func slot(_ window: UnsafeRawBufferPointer, _ at: Int) -> Int {
    Int((word(window, at) &* 0x9E37_79B1) &>> UInt32(32 - slotBits))
  }

  public mutating func pack(_ text: ByteView) -> [UInt8] {
    window.removeSubrange(sampleCount...)
    window.append(contentsOf: text)
    var packed: [UInt8] = []
    packed.reserveCapacity(text.count / 4 + 64)
    let first = sampleCount
    window.withUnsafeBytes { window in
      slots.withUnsafeMutableBufferPointer { slots in
        _ = slots.update(fromContentsOf: sampled)
        var (at, literal) = (first, first)
        while at + Self.shortest <= window.count {
          let slot = Self.slot(window, at)
          let former = Int(slots[slot])
          slots[slot] = UInt32(truncatingIfNeeded: at)
          guard former < at, at - former <= Self.farthest, Self.word(window, former) == Self.word(window, at) else {
            at += 1
            continue
          }
          let count = Self.common(window, former, at, atMost: min(Self.longest, window.count - at))
          Self.append(window, literal..<at, to: &packed)
          packed.append(UInt8(0x80 | (count - Self.shortest)))
          packed.append(UInt8(truncatingIfNeeded: at - former))
          packed.append(UInt8(truncatingIfNeeded: (at - former) >> 8))
          at += count
          literal = at
        }
        Self.append(window, literal..<window.count, to: &packed)
      }
    }
    return packed
  }

  /// How many bytes are the same from two places on; four are known to be.
  private static func common(_ window: UnsafeRawBufferPointer, _ former: Int, _ at: Int, atMost most: Int) -> Int {
    var count = shortest
    while count + 8 <= most {
      let (one, other) = (
        window.loadUnaligned(fromByteOffset: former + count, as: UInt64.self),
        window.loadUnaligned(fromByteOffset: at + count, as: UInt64.self)
      )
      if one != other { return count + UInt64(littleEndian: one ^ other).trailingZeroBitCount / 8 }
      count += 8
    }
    while count < most, window[former + count] == window[at + count] { count += 1 }
    return count
  }

  private static func append(_ window: UnsafeRawBufferPointer, _ range: Range<Int>, to packed: inout [UInt8]) {
    var at = range.lowerBound
    while at < range.upperBound {
      let end = min(range.upperBound, at + longestLiteral)
      packed.append(UInt8(end - at - 1))
      packed.append(contentsOf: window[at..<end])
      at = end
    }
  }

  /// The text that was packed with the same sample; of other bytes, as much as can be read.
  public static func unpack(_ packed: ByteView, sample: StaticString) -> [UInt8] {
    var window = sample.withBytes { Array($0) }
    let first = window.count
    var at = 0
    while at < packed.count {
      let head = Int(packed[at])
      at += 1
      if head < longestLiteral {
        let end = min(packed.count, at + head + 1)
        window.append(contentsOf: packed[at..<end])
        at = end
        continue
      }
      guard at + 2 <= packed.count else { break }
      let distance = Int(packed[at]) | Int(packed[at + 1]) << 8
      at += 2
      guard 1...window.count ~= distance else { break }
      for _ in 0..<(head - longestLiteral + shortest) { window.append(window[window.count - distance]) }
    }
    return Array(window[first...])
  }
}
