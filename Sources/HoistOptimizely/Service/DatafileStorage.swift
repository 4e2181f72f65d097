internal import HoistBase
internal import HoistCore
internal import HoistJSON

/// A datafile of an earlier run, as it was stored.
struct SavedDatafile: Sendable {
  var bytes: [UInt8]
  /// The header `Last-Modified` it came with, word for word; nil for none.
  var lastModified: String?
}

/// Keeps a client's datafile for the next run, under its SDK key (protocols/optimizely.md 5.2; OPT-50). Without an SDK
/// key nothing is kept. On the scheduler's thread.
final class DatafileStorage: @unchecked Sendable {
  private let store: Store
  private let key: String?

  init(store: Store, sdkKey: Secret) {
    self.store = store
    key = sdkKey.isEmpty ? nil : "datafile." + sdkKey.withRevealedBytes { Hex.encode(SHA256.hash($0)) }
  }

  /// `completion` runs on the scheduler's thread; nil when nothing is stored that can be read.
  func load(completion: @escaping @Sendable (SavedDatafile?) -> Void) {
    guard let key else { return completion(nil) }
    store.load(key) { completion($0.flatMap { Self.decode($0) }) }
  }

  func save(_ datafile: SavedDatafile) {
    if let key { store.save(key, Self.encode(datafile)) }
  }

  func remove() {
    if let key { store.remove(key) }
  }

  /// A line of JSON about the datafile, then the datafile itself: it is not parsed to be stored.
  private static func encode(_ datafile: SavedDatafile) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      guard let lastModified = datafile.lastModified else { return }
      writer.key("lastModified")
      writer.string(lastModified)
    }
    return writer.bytes + [UInt8(ascii: "\n")] + datafile.bytes
  }

  private static func decode(_ bytes: [UInt8]) -> SavedDatafile? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let head = try? JSONDocument(parsing: Array(bytes[..<end]))
    else { return nil }
    let lastModified = head.withRoot { $0["lastModified"]?.string }
    // It goes into a header: what would break one is forgotten.
    let isSafe = lastModified.map { HeaderText.isSafeValue($0) } ?? false
    return SavedDatafile(bytes: Array(bytes[(end + 1)...]), lastModified: isSafe ? lastModified : nil)
  }
}
