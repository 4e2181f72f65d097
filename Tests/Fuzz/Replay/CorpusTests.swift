import FuzzTargets
import Glibc
import HoistBase
import HoistTestSupport
import Testing

/// Inputs that once were interesting or wrong stay right; and each is tried with small damages.
@Suite struct CorpusTests {
  @Test(arguments: FuzzTarget.allCases) func everyInputOfTheCorpusHolds(target: FuzzTarget) throws {
    let corpus = try Corpus(of: target)
    #expect(corpus.inputs.count >= 3)
    for (name, bytes) in corpus.inputs {
      #expect(bytes.withUnsafeBytes { target.run($0) } == nil, "\(target.rawValue)/\(name)")
    }
  }

  @Test(arguments: FuzzTarget.allCases) func damagedInputsHoldToo(target: FuzzTarget) throws {
    let entropy = SeededEntropy(seed: 2026)
    for (name, bytes) in try Corpus(of: target).inputs where bytes.count <= 4096 {
      for round in 0..<60 {
        let damaged = damage(bytes, entropy)
        let problem = damaged.withUnsafeBytes { target.run($0) }
        #expect(problem == nil, "\(target.rawValue)/\(name), round \(round): \(String(decoding: damaged, as: UTF8.self))")
      }
    }
  }

  /// One to three cuts, changed bytes, repeated pieces.
  private func damage(_ bytes: [UInt8], _ entropy: SeededEntropy) -> [UInt8] {
    var bytes = bytes
    for _ in 0...(entropy.next() % 3) {
      guard !bytes.isEmpty else { return bytes }
      let place = Int(entropy.next() % UInt64(bytes.count))
      let length = min(Int(entropy.next() % 16) + 1, bytes.count - place)
      switch entropy.next() % 5 {
      case 0: bytes.removeSubrange(place..<place + length)
      case 1: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
      case 2: bytes[place] = UInt8(truncatingIfNeeded: entropy.next())
      case 3: bytes[place] ^= 1 << UInt8(entropy.next() % 8)
      default: bytes.insert(contentsOf: Self.tokens[Int(entropy.next() % UInt64(Self.tokens.count))].utf8, at: place)
      }
    }
    return bytes
  }

  private static let tokens = [
    "null", "-", "9999999999999999999", "1e999", "\"\"", "{}", "[", "]", "\\u0000", "\\ud800", "\u{FEFF}", "\r\n", "(", ")*",
    "[^", "\\", ":", ",", "data:", "true", "-0", "2024-02-30", "::", "%", "\u{0}",
  ]
}

/// The files of one target's corpus.
struct Corpus {
  var inputs: [(name: String, bytes: [UInt8])] = []

  init(of target: FuzzTarget) throws {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(2)
    let folder = (parts + ["Corpus", Substring(target.rawValue)]).joined(separator: "/")
    let directory = try #require(opendir(folder))
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.first == "." { continue }
      inputs.append((name, try Self.contents(of: "\(folder)/\(name)")))
    }
    inputs.sort { $0.name < $1.name }
  }

  private static func contents(of path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "rb"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
    return bytes
  }
}
