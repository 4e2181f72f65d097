internal import Glibc
internal import Synchronization

/// The source of randomness. Logic uses the source it was given, so that tests can predict it. Callable from any
/// thread.
public protocol Entropy: Sendable {
  /// 64 bits, all values equally likely.
  func next() -> UInt64
  /// A part of a whole: at least 0, below 1, all equally likely. A source of tests may always say the same.
  func share() -> Double
}

extension Entropy {
  public func share() -> Double { Double(next() &>> 11) * 0x1p-53 }

  /// Any pause from half of one to half as much again, so that who pauses from the same moment on does not end together; its
  /// mean is the one that is given, of at most 2^53.
  public func shifted(_ pause: Int64) -> Int64 {
    let half = pause / 2
    return pause &- half &+ Int64(share() * Double(half &* 2))
  }

  /// The same for a pause that must not become longer: at least half of it.
  public func shortened(_ pause: Int64) -> Int64 { pause &- Int64(abs(share() * 2 - 1) * Double(pause / 2)) }

  /// A number from 0 to `bound - 1`, all equally likely (Daniel Lemire's multiplication, which draws
  /// again for the few values that would favour some); 0 when `bound` is 0.
  public func below(_ bound: UInt64) -> UInt64 {
    var product = next().multipliedFullWidth(by: bound)
    if product.low < bound {
      let surplus = (0 &- bound) % max(bound, 1)
      var tries = 64  // a source that repeats one number is not waited for
      while product.low < surplus, tries > 0 {
        product = next().multipliedFullWidth(by: bound)
        tries -= 1
      }
    }
    return product.high
  }

  /// A number of the range, all equally likely.
  public func number(in range: ClosedRange<Int64>) -> Int64 {
    let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
    let offset = width == .max ? next() : below(width &+ 1)
    return range.lowerBound &+ Int64(bitPattern: offset)
  }
}

/// The system's randomness: for identifiers that must not repeat or be guessed.
public struct SystemEntropy: Entropy {
  public init() {}

  public func next() -> UInt64 {
    var word: UInt64 = 0
    guard getentropy(&word, MemoryLayout<UInt64>.size) == 0 else { return Self.makeshift() }
    return word
  }

  /// Where the system gives none: never the same twice, though it could be guessed.
  private static func makeshift() -> UInt64 {
    let clock = UInt64(bitPattern: SystemClock().monotonicNanoseconds)
    let count = draws.wrappingAdd(1, ordering: .relaxed).newValue
    return SplitMix.mixed(
      clock &+ SplitMix.mixed(count &+ UInt64(bitPattern: Int64(getpid())) &<< 32))
  }

  private static let draws = Atomic<UInt64>(0)
}

/// The output function of Steele, Lea and Flood's SplitMix64.
package enum SplitMix {
  package static func mixed(_ state: UInt64) -> UInt64 {
    var bits = state
    bits = (bits ^ bits &>> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits &>> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits &>> 31
  }
}
