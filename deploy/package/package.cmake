# What is installed beside the program, and the Debian package: cmake --workflow --preset package.

# Units name the program by its path.
install(DIRECTORY deploy/systemd/user/ DESTINATION lib/systemd/user)
install(DIRECTORY deploy/systemd/system/ DESTINATION lib/systemd/system)
install(DIRECTORY deploy/examples deploy/quadlet deploy/logrotate deploy/grafana DESTINATION ${CMAKE_INSTALL_DOCDIR}
        USE_SOURCE_PERMISSIONS)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN *.md PATTERN *.json)
install(FILES deploy/package/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES deploy/completions/podfence.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME podfence)
install(FILES deploy/completions/_podfence DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES deploy/completions/podfence.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Debian wants them compressed, without a time.
find_program(GZIP gzip REQUIRED)
foreach(page man/podfence.1 man/podfence.json.5 package/changelog)
  get_filename_component(name ${page} NAME)
  set(packed ${CMAKE_BINARY_DIR}/generated/${name}.gz)
  add_custom_command(OUTPUT ${packed} COMMAND ${GZIP} -9nc ${CMAKE_SOURCE_DIR}/deploy/${page} > ${packed}
                     DEPENDS ${CMAKE_SOURCE_DIR}/deploy/${page} VERBATIM)
  list(APPEND PACKED ${packed})
endforeach()
add_custom_target(packed_pages ALL DEPENDS ${PACKED})
install(FILES ${CMAKE_BINARY_DIR}/generated/podfence.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_BINARY_DIR}/generated/podfence.json.5.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES ${CMAKE_BINARY_DIR}/generated/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME changelog.Debian.gz)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)  # without the one for other people's harnesses
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME podfence)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "podman (>= 4.3)")
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The podfence maintainers <maintainers@podfence.invalid>")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "filtering reverse proxy in front of a rootless Podman
Lets many projects share one rootless Podman. Each project gets a socket of its
own that speaks the API of Docker and of Podman; behind it a client sees and
touches the things of its own project and nothing else, and cannot reach the
host.")
include(CPack)
