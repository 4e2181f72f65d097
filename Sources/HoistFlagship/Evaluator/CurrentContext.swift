internal import HoistBase
internal import HoistCore

extension FrozenContext {
  /// Whether the host has identified the client with this context: the current one has also the pairs that the SDK
  /// sets, and lacks those that it refuses.
  func says(theSameAs current: FrozenContext) -> Bool {
    if fingerprint == current.fingerprint { return true }
    if let key = targetingKey, current.targetingKey.map({ key.hasSameBytes(as: $0) }) != true { return false }
    var room = VisitorContext.maximumPairs
    for index in 0..<attributeCount where room > 0 {
      let mine = attribute(at: index).pointee
      guard mine.isTaken(Comparand(attribute(at: index))) else { continue }
      room -= 1
      if mine.nameBytes.isSetBySDK { continue }
      guard let known = current.find(mine.nameBytes, hash: mine.nameHash)?.pointee, known.kind == mine.kind,
        known.textHash == mine.textHash, known.textBytes.hasSameBytes(as: mine.textBytes)
      else { return false }
    }
    for index in 0..<current.attributeCount {
      let known = current.attribute(at: index).pointee
      if !known.nameBytes.isSetBySDK, !known.isLearned, find(known.nameBytes, hash: known.nameHash) == nil { return false }
    }
    return true
  }
}

extension FrozenAttribute {
  /// Whether a visitor's context takes the pair (`VisitorContext.set`).
  /// - Parameter value: its own.
  fileprivate func isTaken(_ value: Comparand?) -> Bool {
    let name = nameBytes
    guard let value, kind != .date, !name.isEmpty, !ReservedKey.isOne(name) else { return false }
    return PredefinedKey(named: name)?.takes(value) ?? true
  }

  /// A segment or a score that a fetch has brought.
  fileprivate var isLearned: Bool {
    let name = nameBytes
    return zip(name, name.dropFirst()).contains { $0 == UInt8(ascii: ":") && $1 == UInt8(ascii: ":") }
  }
}

extension ByteView {
  fileprivate var isSetBySDK: Bool {
    if ReservedKey.isOne(self) { return true }
    switch PredefinedKey(named: self) {
    case .firstTimeInit, .locale, .deviceType, .deviceModel, .osName, .osVersionCode, .osVersionName, .flagshipVersion:
      return true
    default: return false
    }
  }
}
