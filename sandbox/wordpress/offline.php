<?php
// Must-use plugin: no mail leaves the site, no HTTP request, no look for updates.
add_filter( 'pre_wp_mail', '__return_true' );
add_filter(
	'pre_http_request',
	function () {
		return new WP_Error( 'http_request_blocked', 'The sandbox is offline.' );
	},
	PHP_INT_MAX
);
foreach ( array( 'core', 'plugins', 'themes' ) as $sandbox_kind ) {
	add_filter(
		"pre_site_transient_update_$sandbox_kind",
		function () {
			return (object) array(
				'last_checked' => time(),
				'updates'      => array(),
				'response'     => array(),
				'translations' => array(),
			);
		}
	);
}
