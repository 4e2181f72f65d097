import CHoist
import HoistCore
import Testing

@testable import Hoist

/// What the C functions of Unleash's own header promise.
@Suite("Unleash's C functions") struct UnleashEntryPointTests {
  @Test(
    "A bootstrap is made from a document or from toggles; a toggle is not added to a document, which would be lost (UNL-34; no client)"
  )
  func togglesAndDocuments() {
    func add(_ name: StaticString, to bootstrap: OpaquePointer?) -> hoist_status {
      var toggle = hoist_unleash_toggle()
      toggle.struct_size = MemoryLayout<hoist_unleash_toggle>.size
      return name.withUTF8Buffer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
          toggle.name = text.baseAddress
          return hoist_unleash_bootstrap_add(bootstrap, &toggle)
        }
      }
    }
    let document = #"{"toggles":[{"name":"b","enabled":true}]}"#
    let (empty, whole) = (hoist_unleash_bootstrap_new(), hoist_unleash_bootstrap_from_json(document, document.utf8.count, nil))
    defer { [empty, whole].forEach { hoist_unleash_bootstrap_free($0) } }
    #expect(add("a", to: empty) == Status.ok.rawValue)
    #expect(add("c", to: whole) == Status.state.rawValue)
    #expect(Handle<BootstrapBox>.borrow(whole)?.document == Array(document.utf8))
    var error: OpaquePointer?
    #expect(hoist_unleash_bootstrap_from_json("{", 1, &error) == nil && hoist_error_status(error) == Status.parse.rawValue)
    hoist_error_free(error)
    #expect(hoist_unleash_bootstrap_from_file("/nowhere", &error) == nil && hoist_error_status(error) == Status.io.rawValue)
    hoist_error_free(error)
  }

  @Test("Contract 11: reads of another service's client have an answer, and NULL is for NULL alone; state: offline")
  func anotherServicesClient() throws {
    let config = try #require(hoist_config_new("optimizely"))
    defer { hoist_config_free(config) }
    for (name, value) in ["sdk_key": "k", "online": "false", "store": "none", "log.level": "none"] {
      #expect(hoist_config_set(config, name, value, nil) == Status.ok.rawValue)
    }
    var client: OpaquePointer?
    #expect(hoist_client_open(config, &client, nil) == Status.ok.rawValue)
    defer { hoist_client_free(client) }
    for read in [hoist_unleash_get_variant, hoist_unleash_check_variant] {
      let variant = read(client, "a", nil)
      #expect(hoist_unleash_variant_name(variant).map { String(cString: $0) } == "disabled")
      #expect(hoist_unleash_variant_payload_type(variant).map { String(cString: $0) } == "")
      #expect(!hoist_unleash_variant_enabled(variant) && !hoist_unleash_variant_is_feature_enabled(variant))
      hoist_unleash_variant_free(variant)
      #expect(read(nil, "a", nil) == nil && read(client, nil, nil) == nil)
    }
    for (read, empty) in [(hoist_unleash_list_toggles, "[]"), (hoist_unleash_context, "{}")] {
      let text = read(client)
      #expect(hoist_text_data(text).map { String(cString: $0) } == empty && read(nil) == nil)
      hoist_text_free(text)
    }
    #expect(hoist_unleash_set_context_field(client, "userId", "u") == Status.unsupported.rawValue)
  }

  @Test("A closed client does not ask the host what an unknown toggle is (UNL-100; closed)")
  func aClosedClientAsksNobody() throws {
    let config = try #require(hoist_config_new("unleash"))
    defer { hoist_config_free(config) }
    for (name, value) in ["mode": "backend", "online": "false", "store": "none", "log.level": "none"] {
      #expect(hoist_config_set(config, name, value, nil) == Status.ok.rawValue)
    }
    var client: OpaquePointer?
    #expect(hoist_client_open(config, &client, nil) == Status.ok.rawValue)
    let fallback: hoist_unleash_fallback = { _, _, _ in true }
    #expect(hoist_unleash_is_enabled_or(client, "unknown", nil, fallback, nil))
    #expect(hoist_client_close(client, 5000) == Status.ok.rawValue)
    #expect(!hoist_unleash_is_enabled_or(client, "unknown", nil, fallback, nil))
    hoist_client_free(client)
  }
}
