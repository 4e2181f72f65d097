import CHoist
import CHoistKafka
import Glibc

/// The functions of libhoist-kafka.so that forward, loaded for good.
struct KafkaPlugin {
  private typealias Start =
    @convention(c) (
      OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<CChar>?, Int
    ) -> Int32
  private typealias Figures = @convention(c) (OpaquePointer?, UnsafeMutablePointer<hoist_kafka_figures>?) -> Int32
  private typealias Stop = @convention(c) (OpaquePointer?, Int64, UnsafeMutablePointer<hoist_kafka_figures>?) -> Int32

  private let startCall: Start
  private let figuresCall: Figures
  private let stopCall: Stop

  /// - Parameter given: a file; nil for the one that is installed beside the library.
  init(_ given: String?) throws {
    let path = given ?? LoadedLibrary.plugin("kafka")
    guard given != nil || access(path, F_OK) == 0 else {
      throw Problem(.configuration, "\(path) is missing: install the package hoist-kafka, or give --plugin FILE")
    }
    // Without a slash the dynamic linker would search its own folders.
    guard let object = dlopen(path.utf8.contains(UInt8(ascii: "/")) ? path : "./\(path)", RTLD_NOW | RTLD_LOCAL) else {
      throw Problem(.configuration, "\(path) cannot be loaded: \(dlerror().map { String(cString: $0) } ?? "no reason given")")
    }
    func find(_ name: String) throws -> UnsafeMutableRawPointer {
      if let symbol = dlsym(object, name) { return symbol }
      throw Problem(.configuration, "\(path) has no \(name): give the libhoist-kafka.so of this version")
    }
    startCall = unsafeBitCast(try find("hoist_kafka_forward_start"), to: Start.self)
    figuresCall = unsafeBitCast(try find("hoist_kafka_forward_figures"), to: Figures.self)
    stopCall = unsafeBitCast(try find("hoist_kafka_forward_stop"), to: Stop.self)
  }

  /// Starts a member of a consumer group.
  func start(_ client: OpaquePointer, _ options: JSON) throws -> OpaquePointer {
    var member: OpaquePointer?
    var message = [CChar](repeating: 0, count: 512)
    let status = startCall(client, options.text, &member, &message, message.count)
    if status == HOIST_OK, let member { return member }
    throw Problem(.configuration, message.withUnsafeBytes { Self.text($0) })
  }

  func figures(_ member: OpaquePointer) -> hoist_kafka_figures {
    var figures = Self.noFigures
    _ = figuresCall(member, &figures)
    return figures
  }

  /// - Returns: the last figures, and whether nothing is left of what was read.
  func stop(_ member: OpaquePointer, milliseconds: Int64) -> (figures: hoist_kafka_figures, isDone: Bool) {
    var figures = Self.noFigures
    let status = stopCall(member, milliseconds, &figures)
    return (figures, status == HOIST_OK)
  }

  static var noFigures: hoist_kafka_figures {
    var figures = hoist_kafka_figures()
    figures.struct_size = MemoryLayout<hoist_kafka_figures>.size
    return figures
  }

  static func trouble(_ figures: hoist_kafka_figures) -> String { withUnsafeBytes(of: figures.trouble) { text($0) } }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
