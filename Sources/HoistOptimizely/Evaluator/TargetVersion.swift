internal import HoistBase

/// Versions as `semver_…` conditions compare them (protocols/optimizely.md 4.4): the condition's value says how
/// many parts count. Not Semantic Versioning: parts may be missing, and a suffix is one text.
enum TargetVersion {
  /// The order of the user's version and the condition's; nil when one of them is no version.
  static func order(of user: ByteView, against target: ByteView) -> Ordering? {
    guard let wanted = Parts(target), let own = Parts(user) else { return nil }
    for index in 0..<wanted.count {
      guard index < own.count else { return wanted.isCut ? .greater : .less }
      let (left, right) = (own[index], wanted[index])
      if !isNumber(left) {
        switch left.order(against: right) {
        case .less: return wanted.isPrerelease && !own.isPrerelease ? .greater : .less
        case .greater: return !wanted.isPrerelease && own.isPrerelease ? .less : .greater
        case .equal: break
        }
      } else if isNumber(right) {
        let order = numericOrder(left, right)
        if order != .equal { return order }
      } else {
        return .less
      }
    }
    return own.isPrerelease && !wanted.isPrerelease ? .less : .equal
  }

  /// Up to three numbers, and what follows the first `-` or `+`.
  private struct Parts {
    private var numbers: (ByteView, ByteView, ByteView) = (.noBytes, .noBytes, .noBytes)
    private var numberCount = 0
    private var suffix = ByteView.noBytes
    var isPrerelease = false
    var isCut = false

    init?(_ text: ByteView) {
      guard !text.contains(0x20) else { return nil }
      var prefix = text
      if let cut = text.firstIndex(where: { $0 == 0x2D || $0 == 0x2B }) {
        isCut = true
        isPrerelease = text[cut] == 0x2D
        prefix = text.view(from: 0, to: cut)
        suffix = text.view(from: cut + 1, to: text.count)
      }
      var start = 0
      for index in 0...prefix.count where index == prefix.count || prefix[index] == 0x2E {
        let part = prefix.view(from: start, to: index)
        guard numberCount < 3, isNumber(part) else { return nil }
        switch numberCount {
        case 0: numbers.0 = part
        case 1: numbers.1 = part
        default: numbers.2 = part
        }
        numberCount += 1
        start = index + 1
      }
    }

    var count: Int { numberCount + (isCut ? 1 : 0) }

    subscript(index: Int) -> ByteView {
      if index >= numberCount { return suffix }
      return index == 0 ? numbers.0 : index == 1 ? numbers.1 : numbers.2
    }
  }

  private static func isNumber(_ part: ByteView) -> Bool { !part.isEmpty && part.allSatisfy(ASCII.isDigit) }

  /// Of digits, however many.
  private static func numericOrder(_ left: ByteView, _ right: ByteView) -> Ordering {
    let (left, right) = (significant(left), significant(right))
    return left.count == right.count ? left.order(against: right) : Ordering(of: left.count, against: right.count)
  }

  private static func significant(_ digits: ByteView) -> ByteView {
    digits.view(from: digits.prefix { $0 == 0x30 }.count, to: digits.count)
  }
}
