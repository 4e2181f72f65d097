import HoistCore
import HoistTestSupport
import Testing

/// One document kept for the next run, with what it came with.
struct DocumentStorageTests {
  private func loaded(_ storage: DocumentStorage, _ host: TestHost) -> StoredDocument? {
    let found = Locked<StoredDocument??>(nil)
    storage.load { found.value = .some($0) }
    host.settle { found.value != nil }
    return found.value ?? nil
  }

  @Test("the document comes back with its tag, its date and the time of saving")
  func everythingComesBack() {
    let host = TestHost(manager: MemoryCacheManager(clock: ManualScheduler()))
    let storage = DocumentStorage(store: host.store, key: "k")
    storage.save(
      StoredDocument(bytes: Array("{}\n".utf8), lastModified: "today", entityTag: "W/\"1-å\"", savedUnixMilliseconds: .min))
    let found = loaded(storage, host)
    #expect(found?.bytes == Array("{}\n".utf8) && found?.lastModified == "today")
    #expect(found?.entityTag == "W/\"1-å\"" && found?.savedUnixMilliseconds == .min)
    storage.save(StoredDocument(bytes: []))
    let bare = loaded(storage, host)
    #expect(bare?.bytes == [] && bare?.lastModified == nil && bare?.entityTag == nil && bare?.savedUnixMilliseconds == nil)
  }

  @Test("what would break a header is forgotten, and an empty tag is none")
  func brokenHeadersAreForgotten() {
    let host = TestHost(manager: MemoryCacheManager(clock: ManualScheduler()))
    let storage = DocumentStorage(store: host.store, key: "k")
    storage.save(StoredDocument(bytes: [1], lastModified: "a\r\nX: y", entityTag: ""))
    let found = loaded(storage, host)
    #expect(found?.bytes == [1] && found?.lastModified == nil && found?.entityTag == nil)
  }
}
