import Glibc
@testable import HoistCore
import Testing

@Suite("A file that the host names is read whole or not at all") struct FileContentTests {
  let folder: String

  init() throws {
    var template = Array("/tmp/hoist-test-XXXXXX\0".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } }
    folder = try #require(made.map { String(cString: $0) })
  }

  func write(_ name: String, _ bytes: [UInt8]) -> String {
    let path = "\(folder)/\(name)"
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    _ = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    close(file)
    return path
  }

  func failure(_ path: String, _ limit: Int = 100) -> String {
    do throws(FileContent.Failure) {
      _ = try FileContent.read(path: path, limitBytes: limit)
      return ""
    } catch {
      return error.message
    }
  }

  func cleanUp() { for name in ["a", "b"] { unlink("\(folder)/\(name)") }; rmdir(folder) }

  @Test func theLimitBelongsToWhatIsRead() throws {
    defer { cleanUp() }
    let path = write("a", [UInt8](repeating: 7, count: 200_000))
    #expect(try FileContent.read(path: path, limitBytes: 200_000) == [UInt8](repeating: 7, count: 200_000))
    #expect(failure(path, 199_999).contains("the limit is 199999"))
    #expect(try FileContent.read(path: write("b", []), limitBytes: 0) == [])
  }

  @Test func whatIsNoFileIsRefusedByName() {
    defer { cleanUp() }
    #expect(failure("\(folder)/absent").contains("\(folder)/absent"))
    #expect(failure(folder).contains("not a regular file"))
    #expect(failure("/dev/zero").contains("not a regular file"))
    #expect(failure("").contains("cannot open"))
  }

  @Test("Of a file that others may change a line for the log is given, and the file is read") func doubts() throws {
    defer { cleanUp() }
    let path = write("a", [7])
    func doubts(_ mode: mode_t, owner: uid_t? = nil) throws -> [String] {
      var told: [String] = []
      chmod(path, mode)
      if let owner { chown(path, owner, 0) }
      #expect(try FileContent.read(path: path, limitBytes: 10) { told.append($0) } == [7])
      return told
    }
    #expect(try doubts(0o664) == [])
    #expect(try doubts(0o646).map { $0.hasPrefix("\"\(path)\" may be changed by everybody") } == [true])
    symlink(path, "\(folder)/b")
    var told = 0
    _ = try FileContent.read(path: "\(folder)/b", limitBytes: 10) { _ in told += 1 }
    #expect(told == 1, "links are followed: what counts is the file")
    guard geteuid() == 0 else { return }
    #expect(try doubts(0o600, owner: 12345).map { $0.hasPrefix("\"\(path)\" belongs to another user") } == [true])
  }

  /// Opening a pipe that nobody writes to must not wait for somebody.
  @Test func aPipeIsRefusedAtOnce() {
    defer { cleanUp() }
    mkfifo("\(folder)/a", 0o600)
    #expect(failure("\(folder)/a").contains("not a regular file"))
  }
}
