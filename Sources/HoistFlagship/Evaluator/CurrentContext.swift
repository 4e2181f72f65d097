internal import HoistBase
internal import HoistCore

extension FrozenContext {
  /// Whether the host has identified the client with this context: the current one has also the pairs that the SDK
  /// sets, and lacks those that it refuses.
  func says(theSameAs current: FrozenContext) -> Bool {
    if fingerprint == current.fingerprint { return true }
    if let key = targetingKey, current.targetingKey.map({ key.hasSameBytes(as: $0) }) != true { return false }
    for index in 0..<attributeCount {
      let mine = attribute(at: index).pointee
      if !mine.isOfVisitors { continue }
      guard let known = current.find(mine.nameBytes, hash: mine.nameHash)?.pointee, known.kind == mine.kind,
        known.textHash == mine.textHash, known.textBytes.hasSameBytes(as: mine.textBytes)
      else { return false }
    }
    for index in 0..<current.attributeCount {
      let known = current.attribute(at: index).pointee
      if known.isOfVisitors, !known.isLearned, find(known.nameBytes, hash: known.nameHash) == nil { return false }
    }
    return true
  }
}

extension FrozenAttribute {
  /// Neither set by the SDK nor of a type that visitors' contexts do not have.
  fileprivate var isOfVisitors: Bool {
    switch kind {
    case .bool, .int, .double, .string: !nameBytes.isSetBySDK
    case .null, .date, .strings, .json: false
    }
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
    case .firstTimeInit, .locale, .deviceType, .deviceModel, .osName, .osVersionCode, .osVersionName, .flagshipVersion: return true
    default: return false
    }
  }
}
