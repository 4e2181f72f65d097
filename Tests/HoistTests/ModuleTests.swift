import Testing
@testable import Hoist
